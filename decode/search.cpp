#include "decode/search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <numeric>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "data/vocabulary.h"
#include "decode/beam.h"
#include "decode/cached_decoder.h"

namespace calque {
namespace {

using Sources = std::vector<std::vector<int32_t>>;

void check(std::span<const Transformer* const> models, const Sources& sources,
           const SearchOptions& options) {
  require(!models.empty(), "search: no model");
  for (const Transformer* model : models) {
    require(model->options.target_vocabulary == models[0]->options.target_vocabulary,
            "search: models of {} and {} target tokens", models[0]->options.target_vocabulary,
            model->options.target_vocabulary);
  }
  require(options.beam >= 1 && options.n_best >= 1 &&
              (options.sampling || options.n_best <= options.beam),
          "search: a beam of {}, {} best", options.beam, options.n_best);
  require(!options.numbers || options.numbers->size() == sources.size(),
          "search: not a number for each of {} sources", sources.size());
  if (!options.prefixes) return;
  require(options.prefixes->size() == sources.size(), "search: {} prefixes for {} sources",
          options.prefixes->size(), sources.size());
  for (const std::vector<int32_t>& prefix : *options.prefixes) {
    for (const int32_t id : prefix) {
      require(id >= 0 && id < models[0]->options.target_vocabulary,
              "search: a prefix with token {} of {}", id, models[0]->options.target_vocabulary);
    }
  }
}

// A model that learned its positions has no more of them to write at: <s> takes one. Prefixes have
// to keep to that themselves.
SearchOptions within_positions(std::span<const Transformer* const> models, SearchOptions options) {
  for (const Transformer* model : models) {
    if (model->options.positions != PositionKind::learned) continue;
    const int64_t room = model->options.max_positions - 1;
    options.max_length = options.max_length > 0 ? std::min(options.max_length, room) : room;
    options.min_length = std::min(options.min_length, room);
  }
  return options;
}

int64_t hypotheses_each(const SearchOptions& options) {
  return options.sampling ? options.n_best : options.beam;
}

// The sentences of one batch, and the search in it.
class BatchSearch {
 public:
  BatchSearch(std::span<const Transformer* const> models, const Sources& sources,
              std::span<const size_t> numbers, const SearchOptions& options)
      : options_(options) {
    std::vector<int32_t> ids;
    Segments segments;
    for (const size_t number : numbers) {
      numbers_.push_back(options.numbers ? (*options.numbers)[number]
                                         : static_cast<int64_t>(number));
      const std::vector<int32_t>& source = sources[number];
      ids.insert(ids.end(), source.begin(), source.end());
      ids.push_back(end_id);
      segments.append(static_cast<int32_t>(source.size()) + 1);
      beams_.emplace_back(options, static_cast<int64_t>(source.size()),
                          options.prefixes ? (*options.prefixes)[number] : std::vector<int32_t>());
    }
    for (const Transformer* model : models) decoders_.emplace_back(*model, ids, segments);
  }

  std::vector<Beam> run() {
    for (bool first = true; !plan(first); first = false) advance();
    return std::move(beams_);
  }

 private:
  // Lists the rows of the next step; true when nothing is left to do.
  bool plan(bool first) {
    step_ = {};
    for (size_t sentence = 0; sentence < beams_.size(); ++sentence) {
      for (const Beam::Live& live : beams_[sentence].live()) {
        step_.ids.push_back(live.ids.empty() ? begin_id : live.ids.back());
        step_.sentences.push_back(static_cast<int32_t>(sentence));
        if (!first) step_.parents.push_back(live.row);
      }
    }
    return step_.ids.empty();
  }

  void advance() {
    std::vector<Tensor> each;
    for (CachedDecoder& decoder : decoders_) each.push_back(decoder.step(step_));
    const Tensor scores = mean_of_probabilities(each);
    const int64_t vocabulary = scores.cols();
    std::vector<int64_t> first_rows;
    int64_t rows = 0;
    for (const Beam& beam : beams_) {
      first_rows.push_back(rows);
      rows += static_cast<int64_t>(beam.live().size());
    }
    for_rows(std::ssize(beams_), vocabulary * 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (beams_[i].done()) continue;
        if (options_.sampling) {
          draw(beams_[i], scores, first_rows[i], numbers_[i]);
        } else {
          advance_beam(beams_[i], scores, first_rows[i]);
        }
      }
    });
  }

  static real finite_sum(const ScoreRow& row) {
    const real sum = row.log_sum_exp();
    if (!std::isfinite(sum)) {
      fail("the model's scores are not finite numbers: its weights are too large to be of use");
    }
    return sum;
  }

  static void advance_beam(Beam& beam, const Tensor& scores, int64_t first_row) {
    const auto vocabulary = static_cast<size_t>(scores.cols());
    std::vector<std::vector<NextToken>> candidates;
    for (const Beam::Live& live : beam.live()) {
      const int64_t row = first_row + std::ssize(candidates);
      const std::span<real> own(scores.data() + row * scores.cols(), vocabulary);
      const ScoreRow row_of_scores(own);
      const real log_sum = finite_sum(row_of_scores);
      beam.constrain(live, own);
      candidates.push_back(row_of_scores.best(beam.candidates(), log_sum));
    }
    beam.advance(candidates, static_cast<int32_t>(first_row));
  }

  void draw(Beam& beam, const Tensor& scores, int64_t first_row, int64_t number) const {
    const auto vocabulary = static_cast<size_t>(scores.cols());
    std::vector<std::optional<NextToken>> drawn;
    for (const Beam::Live& live : beam.live()) {
      const int64_t row = first_row + std::ssize(drawn);
      const std::span<real> own(scores.data() + row * scores.cols(), vocabulary);
      const real log_sum = finite_sum(ScoreRow(own));
      beam.constrain(live, own);
      Random random({.seed = options_.sampling->seed,
                     .step = static_cast<uint32_t>(live.ids.size()),
                     .part = static_cast<uint32_t>(number),
                     .use = static_cast<uint32_t>(live.sample)});
      drawn.push_back(sample_token(own, log_sum, *options_.sampling, random.uniform()));
    }
    beam.follow(drawn, static_cast<int32_t>(first_row));
  }

  SearchOptions options_;
  std::vector<int64_t> numbers_;  // of the sentences, among all
  std::vector<CachedDecoder> decoders_;
  std::vector<Beam> beams_;
  DecodingStep step_;
};

// The numbers of the sources by falling length, so that a batch's sentences end together.
std::vector<size_t> longest_first(const Sources& sources) {
  std::vector<size_t> numbers(sources.size());
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  std::ranges::stable_sort(numbers, std::greater<>(), [&](size_t i) { return sources[i].size(); });
  return numbers;
}

// About how many tokens the hypotheses of a source will write: as many each as it has, within the
// limits.
int64_t expected_tokens(const std::vector<int32_t>& source, const SearchOptions& options) {
  int64_t length = std::max(std::ssize(source), options.min_length);
  if (options.max_length > 0) length = std::min(length, options.max_length);
  return (length + 1) * hypotheses_each(options);
}

// Copies of the weights, if steps have so many rows that their products would copy them.
PackedWeights packed_for(std::span<const Transformer* const> models,
                         const std::vector<std::vector<size_t>>& batches,
                         const SearchOptions& options) {
  size_t sentences = 0;
  for (const std::vector<size_t>& batch : batches) sentences = std::max(sentences, batch.size());
  std::vector<Matrix> weights;
  if (PackedWeights::worthwhile(static_cast<int64_t>(sentences) * hypotheses_each(options))) {
    for (const Transformer* model : models) {
      std::ranges::copy(CachedDecoder::right_sides(*model), std::back_inserter(weights));
    }
  }
  return PackedWeights(weights);
}

}  // namespace

// Of equal work, and as many for each thread, whether there are two or four: none waits for long at
// the end.
std::vector<std::vector<size_t>> batches_of(const Sources& sources, const SearchOptions& options) {
  constexpr int64_t fair = 4;
  int64_t total = 0;
  for (const std::vector<int32_t>& source : sources) total += expected_tokens(source, options);
  int64_t count = (total + options.batch_tokens - 1) / options.batch_tokens;
  if (count > 2) count = (count + fair - 1) / fair * fair;
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
  for (const size_t number : longest_first(sources)) {
    if (tokens * count >= std::ssize(batches) * total) batches.emplace_back();
    batches.back().push_back(number);
    tokens += expected_tokens(sources[number], options);
  }
  return batches;
}

std::vector<std::vector<Hypothesis>> search(std::span<const Transformer* const> models,
                                            const Sources& sources, const SearchOptions& asked,
                                            const std::function<void(int64_t)>& done) {
  check(models, sources, asked);
  const SearchOptions options = within_positions(models, asked);
  const std::vector<std::vector<size_t>> batches = batches_of(sources, options);
  const PackedWeights packed = packed_for(models, batches, options);
  std::vector<std::vector<Hypothesis>> results(sources.size());
  std::mutex telling;
  int64_t finished = 0;
  for_tasks(std::ssize(batches), [&](int64_t number) {
    const std::vector<size_t>& batch = batches[static_cast<size_t>(number)];
    const PackedWeights::Use use(packed);
    const std::vector<Beam> beams = BatchSearch(models, sources, batch, options).run();
    for (size_t i = 0; i < beams.size(); ++i) results[batch[i]] = beams[i].result();
    const std::lock_guard one_at_a_time(telling);
    finished += std::ssize(batch);
    if (done) done(finished);
  });
  return results;
}

}  // namespace calque
