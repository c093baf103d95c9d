// IBM model 1 on the example of Koehn, Statistical Machine Translation, figure 4.4, by hand for the
// first iteration, and its independence of the number of threads.
#include "data/parallel/word_translations.h"

#include <doctest/doctest.h>

#include "core/random.h"
#include "core/threads/parallel.h"

using namespace calque;

namespace {

enum : int32_t { das, haus, buch, ein };
enum : int32_t { the, house, book, a };

const std::vector<std::vector<int32_t>> german = {{das, haus}, {das, buch}, {ein, buch}};
const std::vector<std::vector<int32_t>> english = {{the, house}, {the, book}, {a, book}};

std::vector<AlignedIds> pairs() {
  std::vector<AlignedIds> all;
  for (size_t i = 0; i < german.size(); ++i) all.push_back({german[i], english[i]});
  return all;
}

}  // namespace

TEST_CASE("one iteration shares each word equally among the source words and the empty word") {
  const WordTranslations table(pairs(), 1);
  CHECK(table.probability(das, the) == doctest::Approx(0.5));
  CHECK(table.probability(das, house) == doctest::Approx(0.25));
  CHECK(table.probability(das, book) == doctest::Approx(0.25));
  CHECK(table.probability(haus, the) == doctest::Approx(0.5));
  CHECK(table.probability_of_none(the) == doctest::Approx(1.0 / 3));
  CHECK(table.count(das) == doctest::Approx(4.0 / 3));
  CHECK(table.probability(haus, book) == 0);
  CHECK(table.count(99) == 0);
}

TEST_CASE("the probabilities of a source word sum to 1 and converge to its translation") {
  const WordTranslations table(pairs(), 50);
  for (const int32_t word : {das, haus, buch, ein}) {
    double sum = 0;
    for (const int32_t other : {the, house, book, a}) sum += table.probability(word, other);
    CHECK(sum == doctest::Approx(1));
  }
  CHECK(table.probability(haus, house) > 0.9);
  CHECK(table.probability(ein, a) > 0.9);
}

TEST_CASE("word translations do not depend on the number of threads") {
  Random random({.seed = 1});
  std::vector<std::vector<int32_t>> texts(2000);
  for (auto& text : texts) {
    for (uint64_t n = 3 + random.below(10); n > 0; --n) {
      text.push_back(static_cast<int32_t>(random.below(50)));
    }
  }
  std::vector<AlignedIds> all;
  for (size_t i = 0; i + 1 < texts.size(); i += 2) all.push_back({texts[i], texts[i + 1]});
  const int before = threads();
  set_threads(1);
  const WordTranslations one(all);
  set_threads(4);
  const WordTranslations four(all);
  set_threads(before);
  for (int32_t i = 0; i < 50; ++i) {
    for (int32_t j = 0; j < 50; ++j) CHECK(one.probability(i, j) == four.probability(i, j));
  }
}
