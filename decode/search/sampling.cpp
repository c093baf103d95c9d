#include "decode/search/sampling.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/error.h"
#include "core/random.h"
#include "core/threads/rows.h"
#include "decode/search/batches.h"

namespace calque {
namespace {

// The tokens that top_k keeps, or the best token at temperature 0; most probable first, and of
// equally probable tokens the lower id first.
std::vector<NextToken> best_tokens(std::span<const real> scores, real log_sum,
                                   const Sampling& sampling) {
  std::vector<NextToken> pool;
  for (size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] > minus_infinity) {
      pool.push_back({static_cast<int32_t>(id), scores[id] - log_sum});
    }
  }
  const auto before = [](const NextToken& a, const NextToken& b) {
    return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
                                                  : a.id < b.id;
  };
  const int64_t kept = sampling.temperature == 0 ? 1 : sampling.top_k;
  if (kept > 0 && kept < std::ssize(pool)) {
    std::ranges::partial_sort(pool, pool.begin() + kept, before);
    pool.resize(kept);
  } else {
    std::ranges::sort(pool, before);
  }
  return pool;
}

std::vector<real> penalized(std::span<const real> scores, std::span<const int32_t> seen,
                            double penalty) {
  std::vector<real> lowered(scores.begin(), scores.end());
  const auto factor = static_cast<real>(penalty);
  for (const int32_t id : seen) {
    const real score = scores[id];
    lowered[id] = score > 0 ? score / factor : score * factor;
  }
  return lowered;
}

// Draws a token from the sorted pool. Weights are relative to that of the best token.
NextToken draw(const std::vector<NextToken>& pool, const Sampling& sampling, double chance) {
  if (sampling.temperature == 0) return pool.front();
  std::vector<double> cumulative;  // running sum of the weights
  size_t probable = 0;             // tokens that min_p keeps
  for (const NextToken& token : pool) {
    const double distance = double(token.log_probability) - double(pool[0].log_probability);
    const double weight = std::exp(distance / sampling.temperature);
    if (weight >= sampling.min_p) ++probable;
    cumulative.push_back(weight + (cumulative.empty() ? 0 : cumulative.back()));
  }
  const auto first_past = [&](double share) {  // the first token with a larger running sum
    return std::min(std::ranges::upper_bound(cumulative, share * cumulative.back()),
                    cumulative.end() - 1);
  };
  if (sampling.top_p < 1) cumulative.erase(first_past(sampling.top_p) + 1, cumulative.end());
  cumulative.resize(std::min(cumulative.size(), std::max<size_t>(1, probable)));
  return pool[first_past(chance) - cumulative.begin()];
}

// One sample of one item.
struct Sample {
  size_t item;       // its index
  int32_t in_batch;  // the item's index in its batch
  int32_t number;    // of the sample
  ConstrainedText constraint;
  int32_t row = 0;  // its row in the last step
  Hypothesis written = {};
  bool ended = false;
};

void check_options(const SamplingOptions& options) {
  const Sampling& s = options.sampling;
  require(options.samples >= 1, "sample: {} samples", options.samples);
  require(s.temperature >= 0 && s.top_k >= 0 && s.repetition_penalty > 0,
          "sample: temperature {}, top_k {}, repetition penalty {}", s.temperature, s.top_k,
          s.repetition_penalty);
}

// The samples of one batch.
class BatchSampling {
 public:
  BatchSampling(std::span<const DecodingModel> models, std::span<const DecodingItem> items,
                std::span<const size_t> numbers, const SamplingOptions& options,
                std::mutex& callbacks)
      : items_(items),
        options_(options),
        callbacks_(callbacks),
        decoder_(start_together(models, numbers)) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      for (int64_t n = 0; n < options.samples; ++n) {
        samples_.push_back({numbers[i], static_cast<int32_t>(i), static_cast<int32_t>(n),
                            items[numbers[i]].constraint});
        end_if_complete(samples_.back());
        cut(samples_.back());
      }
    }
  }

  std::vector<Sample> run() {
    for (bool first = true; !plan(first); first = false) {
      const Tensor scores = decoder_->step(step_);
      std::vector<std::optional<NextToken>> drawn(live_.size());
      for_each_row(std::ssize(live_), scores.cols() * 4, [&](int64_t row) {
        const Sample& sample = *live_[row];
        drawn[row] = draw_next(scores.span().subspan(row * scores.cols(), scores.cols()),
                               items_[sample.item], options_.rules, sample.constraint,
                               options_.sampling, sample.number, sample.written.ids);
      });
      follow(drawn);
    }
    return std::move(samples_);
  }

 private:
  // Lists the rows of the next step. Returns true if there are none.
  bool plan(bool first) {
    step_ = {};
    live_.clear();
    for (Sample& sample : samples_) {
      if (sample.ended) continue;
      const std::vector<int32_t>& ids = sample.written.ids;
      step_.ids.push_back(ids.empty() ? items_[sample.item].first : ids.back());
      step_.items.push_back(sample.in_batch);
      if (!first) step_.parents.push_back(sample.row);
      live_.push_back(&sample);
    }
    return live_.empty();
  }

  void follow(const std::vector<std::optional<NextToken>>& drawn) {
    const std::lock_guard lock(callbacks_);
    for (size_t row = 0; row < live_.size(); ++row) {
      Sample& sample = *live_[row];
      sample.row = static_cast<int32_t>(row);
      if (drawn[row]) {
        append(sample, *drawn[row]);
      } else {
        sample.ended = true;  // the rules forbid every token
      }
    }
  }

  void append(Sample& sample, const NextToken& next) const {
    Hypothesis& written = sample.written;
    const auto log_probability = double(next.log_probability);
    written.log_probability += log_probability;
    if (next.id != end_id) {
      written.ids.push_back(next.id);
      sample.constraint.append(next.id);
    }
    if (options_.token) options_.token({sample.item, sample.number, next.id, log_probability});
    written.finished =
        next.id == end_id || (options_.stop && options_.stop(sample.item, written.ids));
    sample.ended = written.finished;
    end_if_complete(sample);
    cut(sample);
  }

  // Ends a sample if its constraint allows nothing more.
  static void end_if_complete(Sample& sample) {
    if (sample.constraint.is_complete()) sample.ended = sample.written.finished = true;
  }

  // Ends a sample at the longest length, unless </s> has to close it.
  void cut(Sample& sample) const {
    if (!options_.close_at_longest) {
      sample.ended |= std::ssize(sample.written.ids) >= items_[sample.item].longest;
    }
  }

  std::span<const DecodingItem> items_;
  const SamplingOptions& options_;
  std::mutex& callbacks_;  // guards calls of options_.token and options_.stop
  std::unique_ptr<StepDecoder> decoder_;
  std::vector<Sample> samples_;
  std::vector<Sample*> live_;  // one for each row of the step
  DecodingStep step_;
};

}  // namespace

std::optional<NextToken> sample_token(std::span<const real> scores, real log_sum,
                                      const Sampling& sampling, double chance,
                                      std::span<const int32_t> seen) {
  const bool lowers = sampling.repetition_penalty != 1 && !seen.empty();
  const std::vector<real> lowered =
      lowers ? penalized(scores, seen, sampling.repetition_penalty) : std::vector<real>();
  const std::vector<NextToken> pool = best_tokens(lowers ? lowered : scores, log_sum, sampling);
  if (pool.empty()) return std::nullopt;
  const int32_t id = draw(pool, sampling, chance).id;
  return NextToken{id, scores[id] - log_sum};
}

std::optional<NextToken> draw_next(std::span<real> scores, const DecodingItem& item,
                                   const TokenRules& rules, const ConstrainedText& constraint,
                                   const Sampling& sampling, int32_t sample,
                                   std::span<const int32_t> written) {
  const real log_sum = ScoreRow(scores).finite_log_sum();
  forbid_tokens(item, rules, written, scores);
  constraint.forbid_tokens(scores);
  std::vector<int32_t> seen;
  if (sampling.repetition_penalty != 1) {
    seen = item.context;
    seen.insert(seen.end(), written.begin(), written.end());
  }
  Random random({.seed = sampling.seed,
                 .step = static_cast<uint32_t>(written.size()),
                 .part = static_cast<uint32_t>(item.number),
                 .use = static_cast<uint32_t>(sample)});
  return sample_token(scores, log_sum, sampling, random.uniform(), seen);
}

std::vector<std::vector<Hypothesis>> sample(std::span<const DecodingModel> models,
                                            std::span<const DecodingItem> asked,
                                            const SamplingOptions& options,
                                            const std::function<void(int64_t)>& done) {
  check(models, asked);
  check_options(options);
  const std::vector<DecodingItem> items = within_positions(models, asked, options.close_at_longest);
  std::vector<std::vector<Hypothesis>> results(items.size());
  std::mutex callbacks;
  for_batches(
      models, items, options.samples, options.batch_tokens, {}, done,
      [&](std::span<const size_t> batch) {
        for (Sample& sample : BatchSampling(models, items, batch, options, callbacks).run()) {
          sample.written.score = sample.written.log_probability;
          results[sample.item].push_back(std::move(sample.written));
        }
      });
  return results;
}

}  // namespace calque
