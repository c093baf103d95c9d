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

// The tokens of a row from the most probable down, of equally probable tokens the lower id first.
// They are found as far as they are asked for: a vocabulary may have 262,144 tokens, and most draws
// end within the first hundred.
class Ranking {
 public:
  // Requires that the largest score is 0.
  explicit Ranking(std::span<const real> scores) : scores_(scores) {}

  bool has(size_t place) {
    while (place >= found_.size() && bound_ > minus_infinity) extend();
    return place < found_.size();
  }
  // Requires has(place).
  int32_t operator[](size_t place) const { return found_[place]; }

 private:
  // Adds the tokens with scores below the bound, down to a lower one.
  void extend() {
    const real lower = bound_ > -64 ? std::min<real>(-4, 2 * bound_) : minus_infinity;
    const auto before = std::ssize(found_);
    for (size_t id = 0; id < scores_.size(); ++id) {
      if (scores_[id] < bound_ && scores_[id] >= lower && scores_[id] > minus_infinity) {
        found_.push_back(static_cast<int32_t>(id));
      }
    }
    std::ranges::stable_sort(found_.begin() + before, found_.end(), std::greater<real>(),
                             [&](int32_t id) { return scores_[id]; });
    bound_ = lower;
  }

  std::span<const real> scores_;
  std::vector<int32_t> found_;  // all tokens with scores of at least the bound
  real bound_ = 1;
};

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

// The scores minus the largest, divided by the temperature unless that is 0. Empty if all tokens
// are forbidden.
std::vector<real> below_best(std::span<const real> scores, double temperature) {
  const real best = std::ranges::max(scores);
  if (!(best > minus_infinity)) return {};
  const double divisor = temperature > 0 ? temperature : 1;
  std::vector<real> distances(scores.size());
  std::ranges::transform(scores, distances.begin(), [&](real score) {
    return static_cast<real>(double(score - best) / divisor);
  });
  return distances;
}

// The probabilities of a row relative to that of the best token, and which of them a draw may take.
class Weights {
 public:
  Weights(std::span<const real> scores, const Sampling& sampling)
      : scores_(scores), ranking_(scores), kept_(scores.size()) {
    if (sampling.top_k > 0 && sampling.top_k < std::ssize(scores)) {
      kept_ = sampling.top_k;
      for (size_t i = 0; i < kept_; ++i) total_ += of(i);
    } else {
      total_ = std::exp(double(ScoreRow(scores).finite_log_sum()));
    }
    if (sampling.top_p < 1 || sampling.min_p > 0) drop_least(sampling);
  }

  // The token at this cumulative probability.
  int32_t token_at(double chance) {
    size_t place = 0;
    double sum = of(0);
    while (sum <= chance * total_ && place + 1 < kept_ && of(place + 1) > 0) sum += of(++place);
    return ranking_[place];
  }

 private:
  double of(size_t place) {
    return ranking_.has(place) ? std::exp(double(scores_[ranking_[place]])) : 0;
  }

  void drop_least(const Sampling& sampling) {
    const double enough = sampling.top_p * total_;
    size_t place = 1;
    double sum = of(0);
    while (place < kept_ && sum <= enough && of(place) > 0 && of(place) >= sampling.min_p) {
      sum += of(place++);
    }
    kept_ = place;
    total_ = sum;
  }

  std::span<const real> scores_;
  Ranking ranking_;
  size_t kept_;       // the most probable tokens
  double total_ = 0;  // their weight
};

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
  const std::vector<real> distances = below_best(lowers ? lowered : scores, sampling.temperature);
  if (distances.empty()) return std::nullopt;
  const int32_t id = Weights(distances, sampling).token_at(sampling.temperature > 0 ? chance : 0);
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
