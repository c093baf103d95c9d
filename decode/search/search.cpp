#include "decode/search/search.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/threads/rows.h"
#include "decode/search/batches.h"
#include "decode/search/beam.h"

namespace calque {
namespace {

// Has the decoder compute the scores that the items need, if each chooses from some tokens. Returns
// the columns of each item's tokens in the scores. So no item depends on the others of its batch.
std::vector<std::vector<int32_t>> limit_outputs(const std::vector<std::vector<int32_t>>& outputs,
                                                StepDecoder& decoder, int64_t beam) {
  std::vector<int32_t> together;
  for (const std::vector<int32_t>& each : outputs) {
    if (each.empty()) return outputs;
    together.insert(together.end(), each.begin(), each.end());
  }
  std::ranges::sort(together);
  together.erase(std::ranges::unique(together).begin(), together.end());
  if (!decoder.limit_outputs(together, std::ssize(outputs) * beam)) return outputs;
  std::vector<std::vector<int32_t>> columns = outputs;
  for (std::vector<int32_t>& own : columns) {
    for (int32_t& id : own) {
      id = static_cast<int32_t>(std::ranges::lower_bound(together, id) - together.begin());
    }
  }
  return columns;
}

// The search over one batch.
class BatchSearch {
 public:
  BatchSearch(std::span<const DecodingModel> models, std::span<const DecodingItem> items,
              std::span<const size_t> numbers, const SearchOptions& options)
      : decoder_(start_together(models, numbers)) {
    for (const size_t number : numbers) {
      const DecodingItem& item = items[number];
      require(item.outputs.empty() || (item.prefix.empty() && !item.required && !options.trace),
              "search: item {} chooses from some tokens and has others", number);
      beams_.emplace_back(options, item);
      first_.push_back(item.first);
      outputs_.push_back(item.outputs);
    }
    columns_ = limit_outputs(outputs_, *decoder_, options.beam);
  }

  std::vector<std::vector<Hypothesis>> run() {
    for (bool first = true; !plan(first); first = false) advance();
    std::vector<std::vector<Hypothesis>> results;
    for (size_t item = 0; item < beams_.size(); ++item) {
      results.push_back(beams_[item].result());
      for (Hypothesis& found : results.back()) {
        for (int32_t& id : found.ids) id = token(item, id);
      }
    }
    return results;
  }

 private:
  // The beam of an item with outputs counts its tokens from 0.
  int32_t token(size_t item, int32_t id) const {
    return outputs_[item].empty() ? id : outputs_[item][id];
  }

  // Lists the rows of the next step. Returns true if there are none.
  bool plan(bool first) {
    step_ = {};
    for (size_t item = 0; item < beams_.size(); ++item) {
      for (const Beam::Live& live : beams_[item].live()) {
        step_.ids.push_back(live.ids.empty() ? first_[item] : token(item, live.ids.back()));
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
      if (!beams_[i].done()) advance_beam(beams_[i], scores, first_rows[i], columns_[i]);
    });
  }

  static void advance_beam(Beam& beam, const Tensor& scores, int64_t first_row,
                           const std::vector<int32_t>& columns) {
    std::vector<std::vector<NextToken>> candidates;
    std::vector<real> chosen(columns.size());
    for (const Beam::Live& live : beam.live()) {
      const int64_t row = first_row + std::ssize(candidates);
      const std::span<real> all = scores.span().subspan(row * scores.cols(), scores.cols());
      for (size_t i = 0; i < columns.size(); ++i) chosen[i] = all[columns[i]];
      candidates.push_back(beam.candidates(live, columns.empty() ? all : std::span(chosen)));
    }
    beam.advance(candidates, static_cast<int32_t>(first_row));
  }

  std::unique_ptr<StepDecoder> decoder_;
  std::vector<Beam> beams_;
  std::vector<int32_t> first_;
  std::vector<std::vector<int32_t>> outputs_;  // of each item
  std::vector<std::vector<int32_t>> columns_;  // of these tokens in the scores; empty: all
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
                auto found = BatchSearch(models, items, batch, options).run();
                for (size_t i = 0; i < found.size(); ++i) results[batch[i]] = std::move(found[i]);
              });
  return results;
}

}  // namespace calque
