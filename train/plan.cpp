#include "train/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "train/initial_weights.h"
#include "train/learner.h"
#include "train/machine_speed.h"
#include "train/memory_fit.h"
#include "train/run_log.h"
#include "train/settings.h"
#include "train/storage/checkpoints.h"
#include "train/tokenizers.h"
#include "train/validation.h"

namespace calque {
namespace {

// Of the rate of large products, that training as a whole usually reaches: less where they are so
// fast that everything else counts for more.
double usual_share(Precision precision) { return precision == Precision::full ? 0.6 : 0.5; }

struct Amounts {
  double pairs = 0, source_tokens = 0, target_tokens = 0;  // </s> included
};

// What a corpus adds to each epoch that it takes part in.
struct PartAmounts {
  CorpusShare share;
  Amounts epoch;
};

std::vector<PartAmounts> amounts_of(const Config& config, const Tokenizers& tokenizers) {
  const Dataset data =
      load_dataset(corpus_sources(config.data.train, config.data, CorpusConfig::Split::train),
                   tokenizers.source, tokenizers.target, {filter_options(config.data), ""});
  std::vector<PartAmounts> all;
  for (const DatasetPart& part : data.parts) {
    Amounts once{.pairs = static_cast<double>(part.pairs)};
    for (int64_t pair = part.first_pair; pair < part.first_pair + part.pairs; ++pair) {
      once.source_tokens += 1 + static_cast<double>(data.tokens->source_length(pair));
      once.target_tokens += 1 + static_cast<double>(data.tokens->target_length(pair));
    }
    const double tokens = part.share.weight * tokens_of_one(config.tokenizer);
    all.push_back({part.share,
                   {.pairs = once.pairs * part.share.weight,
                    .source_tokens = once.source_tokens * tokens,
                    .target_tokens = once.target_tokens * tokens}});
  }
  return all;
}

Amounts amounts_in(const std::vector<PartAmounts>& parts, int64_t epoch) {
  Amounts sum;
  for (const PartAmounts& part : parts) {
    if (!part.share.has(epoch)) continue;
    sum.pairs += part.epoch.pairs;
    sum.source_tokens += part.epoch.source_tokens;
    sum.target_tokens += part.epoch.target_tokens;
  }
  return sum;
}

// Target tokens of so many epochs from the first on.
double target_tokens_of(const std::vector<PartAmounts>& parts, double epochs) {
  double sum = 0;
  for (const PartAmounts& part : parts) {
    const auto last = static_cast<double>(part.share.epochs);
    sum += part.epoch.target_tokens * (last > 0 ? std::min(last, epochs) : epochs);
  }
  return sum;
}

// An epoch has an update at least.
double updates_of(const Amounts& epoch, double tokens_per_update) {
  return std::max(1.0, epoch.target_tokens / tokens_per_update);
}

// Updates until the first of the limits in steps, epochs and tokens; 0 if only time ends the run.
double updates_until(const Until& until, const std::vector<PartAmounts>& parts,
                     double tokens_per_update) {
  double updates = 0;
  const auto consider = [&](double limit) {
    if (limit > 0 && (updates == 0 || limit < updates)) updates = limit;
  };
  consider(static_cast<double>(until.updates));
  consider(std::max(until.epochs, target_tokens_of(parts, until.epochs) / tokens_per_update));
  consider(static_cast<double>(until.target_tokens) / tokens_per_update);
  return updates;
}

// "an epoch: about 107 updates, 53 from epoch 17 on", as corpora end.
std::string updates_of_epochs(const std::vector<PartAmounts>& parts, double tokens_per_update) {
  const auto updates = [&](int64_t epoch) {
    return updates_of(amounts_in(parts, epoch), tokens_per_update);
  };
  std::set<int64_t> ends;
  for (const PartAmounts& part : parts) {
    if (part.share.epochs > 0) ends.insert(part.share.epochs);
  }
  std::string text = fmt::format("an epoch: about {:.0f} updates", updates(0));
  for (const int64_t end : ends) {
    text += fmt::format(", {:.0f} from epoch {} on", updates(end), end + 1);
  }
  return text + "\n";
}

// As training will have them; a run that goes on needs no weights or tokenisers from elsewhere.
Tokenizers planned_tokenizers(const Config& config, const RunFolder& run) {
  const bool begins = Checkpoints(real_files(), run.path).steps().empty();
  if (begins && !config.model.init_from.empty()) weights_file(config.model.init_from);
  return !begins && has_tokenizers(config, run) ? load_tokenizers(config, run)
                                                : make_tokenizers(config);
}

}  // namespace

std::string training_plan(const Config& config, const RunFolder& run) {
  require_validation_files(config);
  const Tokenizers tokenizers = planned_tokenizers(config, run);
  const std::vector<PartAmounts> parts = amounts_of(config, tokenizers);
  const Amounts amounts = amounts_in(parts, 0);
  const TransformerOptions options =
      transformer_options(config.model, tokenizers.source.size(), tokenizers.target.size());
  const SummaryBatch batch = summary_batch(config, amounts.source_tokens / amounts.pairs,
                                           amounts.target_tokens / amounts.pairs);
  const ModelSummary summary = summarise(options, batch);

  const auto accumulated = static_cast<double>(config.training.accumulation);
  const double tokens = static_cast<double>(batch.target_tokens) * accumulated;
  const double per_epoch = updates_of(amounts, tokens);
  const double work = 3 * static_cast<double>(batch.passes) *
                      (summary.total.flops_per_source_token * amounts.source_tokens +
                       summary.total.flops_per_target_token * amounts.target_tokens);
  const Precision precision = product_precision(config.training);
  const double rate = best_product_rate(precision), share = usual_share(precision);
  const double step_seconds = work / per_epoch / (share * rate);
  const double updates = updates_until(config.training.until, parts, tokens);

  std::string text = summary.text();
  text += fmt::format("\ndata: {:.0f} pairs, {:.0f} source and {:.0f} target tokens an epoch\n",
                      amounts.pairs, amounts.source_tokens, amounts.target_tokens);
  text += fmt::format("an update: about {:.0f} target tokens, {:.1f} GFLOP, {} piece(s) a batch\n",
                      tokens, work / per_epoch / 1e9, pieces_for_memory(config, options));
  text += updates_of_epochs(parts, tokens);
  text += fmt::format("time: about {} an epoch", duration_text(per_epoch * step_seconds));
  if (updates > 0) text += fmt::format(", {} in all", duration_text(updates * step_seconds));
  if (config.training.until.seconds > 0) {
    text += fmt::format(", ended after {}", duration_text(config.training.until.seconds));
  }
  return text + fmt::format(" (at {:.0f}% of {:.0f} GFLOP/s, this machine's best products)\n",
                            100 * share, rate / 1e9);
}

}  // namespace calque
