#include "train/tasks/word2vec/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

bool is_word(const Tokenizer& tokenizer, int32_t id) {
  return id >= special_ids && id != tokenizer.newline_id();
}

}  // namespace

WordSpace::WordSpace(const Tensor& vectors, const Tokenizer& tokenizer)
    : tokenizer_(tokenizer), rows_(vectors) {}

int32_t WordSpace::id_of(const std::string& word) const {
  const std::vector<int32_t> ids = tokenizer_.encode(word);
  if (ids.size() == 1 && is_word(tokenizer_, ids.front())) return ids.front();
  fail("'{}' is not in the vocabulary", word);
}

std::vector<NearRow> WordSpace::nearest(const std::vector<double>& to,
                                        std::span<const int32_t> without, int64_t count) const {
  const auto is_other_word = [&](int32_t id) {
    return is_word(tokenizer_, id) && std::ranges::count(without, id) == 0;
  };
  return rows_.nearest(to, is_other_word, count);
}

std::vector<NearRow> WordSpace::near(int32_t word, int64_t count) const {
  return nearest(rows_.unit(word), {&word, 1}, count);
}

std::vector<NearRow> WordSpace::analogous(int32_t a, int32_t b, int32_t c, int64_t count) const {
  std::vector<double> to = rows_.unit(b);
  const std::vector<double> minus = rows_.unit(a), plus = rows_.unit(c);
  for (size_t k = 0; k < to.size(); ++k) to[k] += plus[k] - minus[k];
  const std::array without{a, b, c};
  return nearest(to, without, count);
}

std::vector<Sample> neighbour_samples(const WordSpace& space, int64_t count) {
  const Tokenizer& tokenizer = space.tokenizer();
  const int64_t words = tokenizer.size() - special_ids;
  count = std::min(count, words);
  std::vector<Sample> samples;
  for (int64_t i = 0; i < count; ++i) {
    const auto id = special_ids + static_cast<int32_t>(i * words / count);
    if (!is_word(tokenizer, id)) continue;
    std::string found;
    for (const NearRow& near : space.near(id, 5)) {
      found += (found.empty() ? "" : " ") + tokenizer.symbol(near.row);
    }
    samples.push_back({tokenizer.symbol(id), "", found});
  }
  return samples;
}

std::string vectors_as_text(const Tensor& vectors, const Tokenizer& tokenizer) {
  std::string lines;
  int64_t words = 0;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (!is_word(tokenizer, id)) continue;
    ++words;
    lines += tokenizer.symbol(id);
    const auto row = vectors.span().subspan(static_cast<size_t>(id * vectors.cols()),
                                            static_cast<size_t>(vectors.cols()));
    for (const real v : row) fmt::format_to(std::back_inserter(lines), " {}", v);
    lines += '\n';
  }
  return fmt::format("{} {}\n", words, vectors.cols()) + lines;
}

}  // namespace calque
