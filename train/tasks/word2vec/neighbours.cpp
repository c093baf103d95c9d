#include "train/tasks/word2vec/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/error.h"
#include "data/vocabulary.h"

namespace calque {
namespace {

bool is_word(const Tokenizer& tokenizer, int32_t id) {
  return id >= special_ids && id != tokenizer.newline_id();
}

void scale_to_unit(std::span<double> vector) {
  double square = 0;
  for (const double v : vector) square += v * v;
  if (square == 0) return;
  for (double& v : vector) v /= std::sqrt(square);
}

}  // namespace

WordSpace::WordSpace(const Tensor& vectors, const Tokenizer& tokenizer)
    : tokenizer_(tokenizer),
      size_(vectors.cols()),
      unit_(vectors.span().begin(), vectors.span().end()) {
  for (int64_t i = 0; i < vectors.rows(); ++i) {
    scale_to_unit(
        std::span(unit_).subspan(static_cast<size_t>(i * size_), static_cast<size_t>(size_)));
  }
}

int32_t WordSpace::id_of(const std::string& word) const {
  const std::vector<int32_t> ids = tokenizer_.encode(word);
  if (ids.size() == 1 && is_word(tokenizer_, ids.front())) return ids.front();
  fail("'{}' is not in the vocabulary", word);
}

std::span<const double> WordSpace::row(int32_t id) const {
  return std::span(unit_).subspan(static_cast<size_t>(id * size_), static_cast<size_t>(size_));
}

std::vector<Neighbour> WordSpace::nearest(std::vector<double> to, std::span<const int32_t> without,
                                          int64_t count) const {
  scale_to_unit(to);
  std::vector<Neighbour> all;
  for (int32_t id = 0; id < tokenizer_.size(); ++id) {
    if (!is_word(tokenizer_, id) || std::ranges::count(without, id) > 0) continue;
    double cosine = 0;
    for (size_t k = 0; k < to.size(); ++k) cosine += to[k] * row(id)[k];
    all.push_back({id, cosine});
  }
  const auto middle = all.begin() + std::min(count, std::ssize(all));
  std::ranges::partial_sort(all, middle, [](const Neighbour& a, const Neighbour& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.id < b.id;
  });
  all.erase(middle, all.end());
  return all;
}

std::vector<Neighbour> WordSpace::near(int32_t word, int64_t count) const {
  const std::span<const double> vector = row(word);
  return nearest({vector.begin(), vector.end()}, {&word, 1}, count);
}

std::vector<Neighbour> WordSpace::analogous(int32_t a, int32_t b, int32_t c, int64_t count) const {
  std::vector<double> to(static_cast<size_t>(size_));
  for (size_t k = 0; k < to.size(); ++k) to[k] = row(b)[k] - row(a)[k] + row(c)[k];
  const std::array without{a, b, c};
  return nearest(std::move(to), without, count);
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
    for (const Neighbour& near : space.near(id, 5)) {
      found += (found.empty() ? "" : " ") + tokenizer.symbol(near.id);
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
