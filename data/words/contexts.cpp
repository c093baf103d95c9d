#include "data/words/contexts.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.h"
#include "data/datasets/id_counts.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

constexpr uint32_t context_use = 0x77c2;

}  // namespace

WordContexts::WordContexts(Dataset text, int32_t vocabulary, const ContextOptions& options,
                           int32_t skipped)
    : text_(std::move(text)), options_(options), skipped_(skipped) {
  require(text_.tokens->columns() == 1 && options.slice > 0 && options.window > 0 &&
              options.negatives > 0,
          "WordContexts: {} columns, slices of {}, window {}, {} negatives",
          text_.tokens->columns(), options.slice, options.window, options.negatives);
  for (const DatasetPart& part : text_.parts) {
    SharedRange range{.first = count(), .count = 0, .share = part.share, .name = part.name};
    for (int64_t i = part.first_example; i < part.first_example + part.examples; ++i) {
      const int64_t length = text_.tokens->length(i, 0);
      for (int64_t begin = 0; begin < length; begin += options.slice) {
        slices_.push_back({i, begin, std::min(options.slice, length - begin)});
      }
    }
    range.count = count() - range.first;
    parts_.push_back(std::move(range));
  }
  std::vector<int64_t> counts = count_ids(*text_.tokens, 0, vocabulary);
  double all = 0;
  noise_before_.push_back(0);
  for (int32_t id = 0; id < vocabulary; ++id) {
    if (!is_word(id)) counts[static_cast<size_t>(id)] = 0;
    const auto times = static_cast<double>(counts[static_cast<size_t>(id)]);
    all += times;
    noise_before_.push_back(noise_before_.back() + std::pow(times, 0.75));
  }
  const auto words = std::ranges::count_if(counts, [](int64_t times) { return times > 0; });
  if (words < 2)
    fail("{}: word2vec needs a text of at least 2 different words", text_.parts.front().name);
  for (const int64_t times : counts) {
    const double share = static_cast<double>(times) / all, t = options.subsample;
    kept_.push_back(t == 0 || times == 0 ? 1 : std::sqrt(t / share) + t / share);
  }
}

bool WordContexts::is_word(int32_t id) const { return id >= special_ids && id != skipped_; }

std::vector<int32_t> WordContexts::kept_words(const Slice& slice, Random& random) const {
  std::vector<int32_t> ids;
  text_.tokens->read_slice(slice.document, 0, slice.begin, slice.length, ids);
  std::erase_if(ids, [&](int32_t id) {
    return !is_word(id) || random.uniform() >= kept_[static_cast<size_t>(id)];
  });
  return ids;
}

// Draws a word other than `expected`. If `expected` makes up nearly the whole text, every draw may
// return it: after 11 draws the word with the next id is taken.
int32_t WordContexts::negative(int32_t expected, Random& random) const {
  const auto drawn = [&] {
    const double place = random.uniform() * noise_before_.back();
    const auto above = std::ranges::upper_bound(noise_before_, place);
    return static_cast<int32_t>(above - noise_before_.begin()) - 1;
  };
  int32_t id = drawn();
  for (int attempt = 0; id == expected && attempt < 10; ++attempt) id = drawn();
  const auto vocabulary = static_cast<int32_t>(kept_.size());
  const auto is_drawable = [&](int32_t other) {
    return noise_before_[static_cast<size_t>(other) + 1] >
           noise_before_[static_cast<size_t>(other)];
  };
  while (id == expected || id >= vocabulary || !is_drawable(id)) id = (id + 1) % vocabulary;
  return id;
}

void WordContexts::add_prediction(std::span<const int32_t> from, int32_t expected, Random& random,
                                  Example& out) const {
  out[read_words].insert(out[read_words].end(), from.begin(), from.end());
  out[read_counts].push_back(static_cast<int32_t>(from.size()));
  out[candidate_words].push_back(expected);
  for (int64_t k = 0; k < options_.negatives; ++k) {
    out[candidate_words].push_back(negative(expected, random));
  }
}

void WordContexts::read(int64_t epoch, int64_t slice, Example& out) const {
  out.assign(context_columns, {});
  Random random({.seed = options_.seed,
                 .step = static_cast<uint32_t>(epoch),
                 .part = static_cast<uint32_t>(slice),
                 .use = context_use});
  const std::vector<int32_t> words = kept_words(slices_[static_cast<size_t>(slice)], random);
  std::vector<int32_t> neighbours;
  for (int64_t i = 0; i < std::ssize(words); ++i) {
    const int64_t reach = 1 + static_cast<int64_t>(random.below(uint64_t(options_.window)));
    neighbours.clear();
    const int64_t end = std::min(std::ssize(words), i + reach + 1);
    for (int64_t j = std::max<int64_t>(0, i - reach); j < end; ++j) {
      if (j != i) neighbours.push_back(words[static_cast<size_t>(j)]);
    }
    const int32_t word = words[static_cast<size_t>(i)];
    if (options_.predict == WordPrediction::skip_gram) {
      for (const int32_t neighbour : neighbours) add_prediction({&word, 1}, neighbour, random, out);
    } else if (!neighbours.empty()) {
      add_prediction(neighbours, word, random, out);
    }
  }
}

std::string WordContexts::where(int64_t slice) const {
  return text_.where(text_.tokens->line(slices_[static_cast<size_t>(slice)].document));
}

ExampleSet WordContexts::examples() const {
  const auto contexts = std::make_shared<const WordContexts>(*this);
  ExampleSet set;
  for (const Slice& slice : slices_) set.costs.push_back(static_cast<int32_t>(slice.length));
  set.parts = parts_;
  set.read = [contexts](int64_t epoch, int64_t slice, Example& out) {
    contexts->read(epoch, slice, out);
  };
  set.where = [contexts](int64_t slice) { return contexts->where(slice); };
  return set;
}

}  // namespace calque
