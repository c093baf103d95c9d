#include "train/plan.h"

#include <fmt/format.h>

#include "train/learner.h"
#include "train/machine_speed.h"
#include "train/memory_fit.h"
#include "train/run_log.h"
#include "train/settings.h"
#include "train/tokenizers.h"

namespace calque {
namespace {

// Of the rate of large products, that training as a whole usually reaches.
constexpr double usual_share = 0.6;

struct Amounts {
  int64_t pairs = 0;
  double source_tokens = 0, target_tokens = 0;  // an epoch, </s> included
};

Amounts amounts_of(const Config& config, const Tokenizers& tokenizers) {
  const Dataset data =
      load_dataset(corpus_sources(config.data.train, config.data, CorpusConfig::Split::train),
                   tokenizers.source, tokenizers.target, {filter_options(config.data), ""});
  Amounts amounts{.pairs = data.pairs()};
  for (int64_t i = 0; i < data.pairs(); ++i) {
    amounts.source_tokens += 1 + static_cast<double>(data.tokens->source_length(i));
    amounts.target_tokens += 1 + static_cast<double>(data.tokens->target_length(i));
  }
  amounts.source_tokens *= tokens_of_one(config.tokenizer);
  amounts.target_tokens *= tokens_of_one(config.tokenizer);
  return amounts;
}

// Updates until the first of the limits in steps, epochs and tokens; 0 if only time ends the run.
double updates_until(const Until& until, double updates_per_epoch, double tokens_per_update) {
  double updates = 0;
  const auto consider = [&](double limit) {
    if (limit > 0 && (updates == 0 || limit < updates)) updates = limit;
  };
  consider(static_cast<double>(until.updates));
  consider(until.epochs * updates_per_epoch);
  consider(static_cast<double>(until.target_tokens) / tokens_per_update);
  return updates;
}

}  // namespace

std::string training_plan(const Config& config) {
  const Tokenizers tokenizers = make_tokenizers(config);
  const Amounts amounts = amounts_of(config, tokenizers);
  const TransformerOptions options =
      transformer_options(config.model, tokenizers.source.size(), tokenizers.target.size());
  SummaryBatch batch = summary_batch(config);
  const auto pairs = static_cast<double>(amounts.pairs);
  batch.source_length = amounts.source_tokens / pairs;
  batch.target_length = amounts.target_tokens / pairs;
  const ModelSummary summary = summarise(options, batch);

  const auto accumulated = static_cast<double>(config.training.accumulation);
  const double tokens = static_cast<double>(batch.target_tokens) * accumulated;
  const double per_epoch = std::max(1.0, amounts.target_tokens / tokens);
  const double work = 3 * (summary.total.flops_per_source_token * amounts.source_tokens +
                           summary.total.flops_per_target_token * amounts.target_tokens);
  const double step_seconds = work / per_epoch / (usual_share * best_product_rate());
  const double updates = updates_until(config.training.until, per_epoch, tokens);

  std::string text = summary.text();
  text += fmt::format("\ndata: {} pairs, {:.0f} source and {:.0f} target tokens an epoch\n",
                      amounts.pairs, amounts.source_tokens, amounts.target_tokens);
  text += fmt::format("an update: about {:.0f} target tokens, {:.1f} GFLOP, {} piece(s) a batch\n",
                      tokens, work / per_epoch / 1e9, pieces_for_memory(config, options));
  text += fmt::format("an epoch: about {:.0f} updates\n", per_epoch);
  text += fmt::format("time: about {} an epoch", duration_text(per_epoch * step_seconds));
  if (updates > 0) text += fmt::format(", {} in all", duration_text(updates * step_seconds));
  if (config.training.until.seconds > 0) {
    text += fmt::format(", ended after {}", duration_text(config.training.until.seconds));
  }
  return text + fmt::format(" (at {:.0f}% of {:.0f} GFLOP/s, this machine's best products)\n",
                            100 * usual_share, best_product_rate() / 1e9);
}

}  // namespace calque
