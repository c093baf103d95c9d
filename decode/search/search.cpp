#include "decode/search/search.h"

#include <cmath>

#include "core/error.h"
#include "core/threads/rows.h"
#include "decode/search/batches.h"
#include "decode/search/beam.h"

namespace calque {
namespace {

// The search over one batch.
class BatchSearch {
 public:
  BatchSearch(std::span<const DecodingModel> models, std::span<const DecodingItem> items,
              std::span<const size_t> numbers, const SearchOptions& options)
      : decoder_(start_together(models, numbers)) {
    for (const size_t number : numbers) {
      beams_.emplace_back(options, items[number]);
      first_.push_back(items[number].first);
    }
  }

  std::vector<Beam> run() {
    for (bool first = true; !plan(first); first = false) advance();
    return std::move(beams_);
  }

 private:
  // Lists the rows of the next step. Returns true if there are none.
  bool plan(bool first) {
    step_ = {};
    for (size_t item = 0; item < beams_.size(); ++item) {
      for (const Beam::Live& live : beams_[item].live()) {
        step_.ids.push_back(live.ids.empty() ? first_[item] : live.ids.back());
        step_.items.push_back(static_cast<int32_t>(item));
        if (!first) step_.parents.push_back(live.row);
      }
    }
    return step_.ids.empty();
  }

  void advance() {
    const Tensor scores = decoder_->step(step_);
    std::vector<int64_t> first_rows;
    int64_t rows = 0;
    for (const Beam& beam : beams_) {
      first_rows.push_back(rows);
      rows += std::ssize(beam.live());
    }
    for_each_row(std::ssize(beams_), scores.cols() * 4, [&](int64_t i) {
      if (!beams_[i].done()) advance_beam(beams_[i], scores, first_rows[i]);
    });
  }

  static void advance_beam(Beam& beam, const Tensor& scores, int64_t first_row) {
    std::vector<std::vector<NextToken>> candidates;
    for (const Beam::Live& live : beam.live()) {
      const int64_t row = first_row + std::ssize(candidates);
      const std::span<real> own = scores.span().subspan(row * scores.cols(), scores.cols());
      candidates.push_back(beam.candidates(live, own));
    }
    beam.advance(candidates, static_cast<int32_t>(first_row));
  }

  std::unique_ptr<StepDecoder> decoder_;
  std::vector<Beam> beams_;
  std::vector<int32_t> first_;
  DecodingStep step_;
};

}  // namespace

double hypothesis_score(const SearchOptions& options, double log_probability, int64_t length) {
  const auto n = static_cast<double>(length);
  switch (options.penalty) {
    case SearchOptions::Penalty::wu:
      return log_probability / std::pow((5 + n) / 6, options.length_penalty);
    case SearchOptions::Penalty::power:
      return log_probability / std::pow(n, options.length_penalty);
    case SearchOptions::Penalty::none:
      break;
  }
  return log_probability;
}

std::vector<std::vector<Hypothesis>> search(std::span<const DecodingModel> models,
                                            std::span<const DecodingItem> asked,
                                            const SearchOptions& options,
                                            const std::function<void(int64_t)>& done) {
  check(models, asked);
  require(options.beam >= 1 && options.n_best >= 1 && options.n_best <= options.beam,
          "search: beam {}, n_best {}", options.beam, options.n_best);
  const std::vector<DecodingItem> items = within_positions(models, asked, true);
  std::vector<std::vector<Hypothesis>> results(items.size());
  for_batches(models, items, options.beam, options.batch_tokens, options.batches, done,
              [&](std::span<const size_t> batch) {
                const std::vector<Beam> beams = BatchSearch(models, items, batch, options).run();
                for (size_t i = 0; i < beams.size(); ++i) results[batch[i]] = beams[i].result();
              });
  return results;
}

}  // namespace calque
