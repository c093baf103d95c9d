// Words and their neighbours, as the examples of word2vec.
#include "data/words/contexts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "data/documents/dataset.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "support/message_of.h"

using namespace calque;

namespace {

struct Text {
  Tokenizer tokenizer;
  Dataset dataset;
};

// Words that occur fewer than min_count times are <unk>.
Text text_of(const std::vector<std::string>& lines, int64_t min_count = 1) {
  Text text{train_tokenizer(lines, {.kind = TokenizerKind::words},
                            {.vocabulary_size = 0, .min_count = min_count}),
            {}};
  text.dataset = load_documents({{documents_in_memory("lines", lines)}}, text.tokenizer, {});
  return text;
}

struct Prediction {
  std::vector<std::string> from;
  std::string expected;
  std::vector<int32_t> negatives;
};

std::vector<Prediction> predictions(const Text& text, const WordContexts& contexts, int64_t epoch,
                                    int64_t slice) {
  Example example;
  contexts.read(epoch, slice, example);
  std::vector<Prediction> all;
  auto word = example[read_words].begin();
  const size_t each = example[read_counts].empty()
                          ? 0
                          : example[candidate_words].size() / example[read_counts].size();
  auto candidate = example[candidate_words].begin();
  for (const int32_t count : example[read_counts]) {
    Prediction& one = all.emplace_back();
    for (int32_t k = 0; k < count; ++k) one.from.push_back(text.tokenizer.symbol(*word++));
    one.expected = text.tokenizer.symbol(*candidate);
    one.negatives = {candidate + 1, candidate + static_cast<std::ptrdiff_t>(each)};
    candidate += static_cast<std::ptrdiff_t>(each);
  }
  CHECK(word == example[read_words].end());
  CHECK(candidate == example[candidate_words].end());
  return all;
}

WordContexts contexts_of(const Text& text, const ContextOptions& options) {
  return {text.dataset, text.tokenizer.size(), options};
}

std::vector<std::string> numbered_words(int count) {
  std::string line;
  for (int i = 0; i < count; ++i) line += fmt::format("w{} ", i);
  return {line};
}

int number_of(const std::string& word) { return std::stoi(word.substr(1)); }

}  // namespace

TEST_CASE("with a window of 1, skip-gram predicts both neighbours, and CBOW reads both") {
  const Text text = text_of({"a b c", "d e"});
  const WordContexts pairs = contexts_of(text, {.window = 1, .negatives = 2, .subsample = 0});
  REQUIRE(pairs.count() == 2);
  std::string seen;
  for (const Prediction& p : predictions(text, pairs, 0, 0)) {
    seen += p.from[0] + p.expected + " ";
    CHECK(p.negatives.size() == 2);
  }
  CHECK(seen == "ab ba bc cb ");
  const WordContexts bags = contexts_of(
      text, {.predict = WordPrediction::cbow, .window = 1, .negatives = 2, .subsample = 0});
  seen.clear();
  for (const Prediction& p : predictions(text, bags, 0, 0)) {
    for (const std::string& word : p.from) seen += word;
    seen += ">" + p.expected + " ";
  }
  CHECK(seen == "b>a ac>b b>c ");
  CHECK(pairs.where(1) == "lines, document 2");
}

TEST_CASE("each word draws its distance uniformly from 1 to the window, anew in every epoch") {
  const Text text = text_of(numbered_words(2000));
  const WordContexts contexts =
      contexts_of(text, {.slice = 4000, .window = 4, .negatives = 1, .subsample = 0});
  std::map<int, int> reach;  // the largest distance of each word
  for (const Prediction& p : predictions(text, contexts, 0, 0)) {
    const int distance = std::abs(number_of(p.from[0]) - number_of(p.expected));
    int& largest = reach[number_of(p.from[0])];
    largest = std::max(largest, distance);
  }
  std::map<int, int> counts;
  for (int i = 4; i < 1996; ++i) ++counts[reach[i]];
  REQUIRE(counts.size() == 4);
  for (const auto& [distance, count] : counts) {
    CHECK(distance >= 1);
    CHECK(std::abs(count - 498) < 5 * std::sqrt(1992 * 0.25 * 0.75));
  }
  Example a, b, again;
  contexts.read(0, 0, a);
  contexts.read(1, 0, b);
  contexts.read(0, 0, again);
  CHECK(a == again);
  CHECK(a != b);
  const WordContexts other =
      contexts_of(text, {.slice = 4000, .window = 4, .negatives = 1, .subsample = 0, .seed = 2});
  other.read(0, 0, b);
  CHECK(a != b);
}

TEST_CASE(
    "a frequent word stays with the formula's probability; words around a gap become neighbours") {
  std::vector<std::string> lines;
  for (int i = 0; i < 3000; ++i) lines.push_back(fmt::format("the w{} the w{}", i, 3000 + i));
  const Text text = text_of(lines);
  const WordContexts contexts = contexts_of(text, {.window = 1, .negatives = 1, .subsample = 0.02});
  int kept = 0, jumps = 0;
  for (int64_t slice = 0; slice < contexts.count(); ++slice) {
    std::multiset<std::string> centres;
    bool jump = false;
    for (const Prediction& p : predictions(text, contexts, 0, slice)) {
      if (p.expected != "the" && p.from[0] != "the") jump = true;
      centres.insert(p.from[0]);
    }
    jumps += jump;
    kept += static_cast<int>(centres.count("the"));
  }
  // Half of the words are "the": sqrt(0.04) + 0.04 of them stay. With a window of 1, the first
  // "the" of a line is once the centre, the second one twice: 1 + 2 for each line.
  const double stays = std::sqrt(0.04) + 0.04;
  CHECK(std::abs(kept - 3 * 3000 * stays) < 5 * 3 * std::sqrt(3000 * stays * (1 - stays)));
  CHECK(std::abs(jumps - 3000 * (1 - stays)) < 5 * std::sqrt(3000 * stays * (1 - stays)));
}

TEST_CASE("negatives are drawn by count^0.75, and are never the expected word or <unk>") {
  std::vector<std::string> lines;
  for (int i = 0; i < 400; ++i) {
    lines.push_back(i % 16 == 0 ? "common common common common rare"
                                : "common common common common");
  }
  lines.push_back("once");
  const Text text = text_of(lines, 2);
  const WordContexts contexts = contexts_of(text, {.window = 2, .negatives = 3, .subsample = 0});
  const Text three = text_of({"a a a a a a a a a a a a a a a a b c"});
  const WordContexts third = contexts_of(three, {.window = 3, .negatives = 4, .subsample = 0});
  for (int64_t slice = 0; slice < contexts.count(); ++slice) {
    for (const Prediction& p : predictions(text, contexts, 0, slice)) {
      for (const int32_t id : p.negatives) {
        CHECK(text.tokenizer.symbol(id) == (p.expected == "common" ? "rare" : "common"));
      }
    }
  }
  // Where c is expected: a has 16^0.75 = 8 shares of 9 among a and b.
  int64_t all = 0, with_a = 0;
  for (int64_t epoch = 0; epoch < 2000; ++epoch) {
    for (const Prediction& p : predictions(three, third, epoch, 0)) {
      if (p.expected != "c") continue;
      for (const int32_t id : p.negatives) {
        ++all;
        with_a += three.tokenizer.symbol(id) == "a";
      }
    }
  }
  const double share = double(with_a) / double(all);
  CHECK(std::abs(share - 8.0 / 9) < 5 * std::sqrt(8.0 / 81 / double(all)));
}

TEST_CASE("a long text is cut into slices, and words have no neighbours in other slices") {
  const Text text = text_of(numbered_words(25));
  const WordContexts contexts =
      contexts_of(text, {.slice = 10, .window = 9, .negatives = 1, .subsample = 0});
  REQUIRE(contexts.count() == 3);
  CHECK(contexts.words(0) == 10);
  CHECK(contexts.words(2) == 5);
  const ExampleSet set = contexts.examples();
  CHECK(set.costs == std::vector<int32_t>{10, 10, 5});
  REQUIRE(set.parts.size() == 1);
  CHECK(set.parts[0].count == 3);
  for (int64_t slice = 0; slice < 3; ++slice) {
    for (const Prediction& p : predictions(text, contexts, 0, slice)) {
      CHECK(number_of(p.from[0]) / 10 == slice);
      CHECK(number_of(p.expected) / 10 == slice);
    }
  }
}

TEST_CASE("a text of one distinct word is refused, also beside <unk>") {
  const Text one = text_of({"a a a", "a"});
  CHECK(message_of<Error>([&] { contexts_of(one, {}); }) ==
        "lines: word2vec needs a text of at least 2 different words");
  const Text rare = text_of({"a a b", "a c"}, 2);
  CHECK_FALSE(message_of<Error>([&] { contexts_of(rare, {}); }).empty());
}
