#include "train/tasks/data_remarks.h"

#include <doctest/doctest.h>

#include "data/tokenizers/training.h"

using namespace calque;

namespace {

constexpr const char* nouns[] = {"woman", "man", "children", "queen", "castle", "garden"};
constexpr const char* verbs[] = {"watches", "paints", "follows", "visits", "admires"};
constexpr const char* others[] = {"Zug", "Brot", "Himmel", "Wasser", "Schrank", "Vogel"};

// 120 sentences, others for each `shift`.
std::vector<std::string> english(int shift) {
  std::vector<std::string> texts;
  for (int i = shift; i < 120 + shift; ++i) {
    texts.push_back(std::string("The ") + nouns[i % 6] + ' ' + verbs[(i / 6 + shift) % 5] + " a " +
                    nouns[(i / 3 + 1) % 6] + ".");
  }
  return texts;
}

std::vector<std::string> another_language() {
  std::vector<std::string> texts;
  for (int i = 0; i < 120; ++i) {
    texts.push_back(std::string("Ohne ") + others[i % 6] + " kein " + others[(i / 6 + 1) % 6] +
                    " dort!");
  }
  return texts;
}

Tokenizer words_of_both() {
  std::vector<std::string> texts = english(0);
  for (std::string& text : another_language()) texts.push_back(std::move(text));
  return train_tokenizer(texts, {.kind = TokenizerKind::words}, {});
}

Tokenizer subwords(const std::vector<std::string>& texts, int32_t size) {
  return train_tokenizer(texts, {.kind = TokenizerKind::bpe}, {.vocabulary_size = size});
}

Dataset dataset(const std::vector<std::string>& texts, const Tokenizer& tokenizer) {
  std::vector<Row> rows;
  for (const std::string& text : texts) rows.push_back({text});
  return load_dataset({{in_memory("texts", std::move(rows))}}, {tokenizer}, {});
}

}  // namespace

TEST_CASE("validation texts in another language are remarked, other sentences are not") {
  const Tokenizer tokenizer = words_of_both();
  const Dataset training = dataset(english(0), tokenizer);
  const Dataset same = dataset(english(77), tokenizer);
  const Dataset other = dataset(another_language(), tokenizer);
  CHECK(data_remarks(training, nullptr, 0, tokenizer, "source").empty());
  CHECK(data_remarks(training, &same, 0, tokenizer, "source").empty());
  const std::vector<std::string> remarks = data_remarks(training, &other, 0, tokenizer, "source");
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].starts_with("warning: the source texts of data.validation are unlike"));
}

TEST_CASE("a token that occurs once in training costs as much as an unknown one") {
  std::vector<std::string> one_each, others;  // each word occurs once in all texts
  for (int i = 0; i < 400; ++i) one_each.push_back("a" + std::to_string(i));
  for (int i = 0; i < 400; ++i) others.push_back("b" + std::to_string(i));
  std::vector<std::string> all = one_each;
  all.insert(all.end(), others.begin(), others.end());
  const Tokenizer tokenizer = train_tokenizer(all, {.kind = TokenizerKind::words}, {});
  const Dataset training = dataset(one_each, tokenizer), other = dataset(others, tokenizer);
  CHECK(data_remarks(training, &other, 0, tokenizer, "").empty());
}

TEST_CASE("few validation texts have no remark") {
  const Tokenizer tokenizer = words_of_both();
  std::vector<std::string> few = another_language();
  few.resize(20);
  const Dataset training = dataset(english(0), tokenizer), other = dataset(few, tokenizer);
  CHECK(data_remarks(training, &other, 0, tokenizer, "source").empty());
}

TEST_CASE("a tokenizer that splits words into letters is remarked, characters by choice are not") {
  const std::vector<std::string> texts = english(0);
  const Tokenizer large = subwords(texts, 60), small = subwords(texts, 34);
  const Tokenizer characters = train_tokenizer(texts, {.kind = TokenizerKind::characters}, {});
  CHECK(data_remarks(dataset(texts, large), nullptr, 0, large, "").empty());
  CHECK(data_remarks(dataset(texts, characters), nullptr, 0, characters, "").empty());
  const std::vector<std::string> remarks =
      data_remarks(dataset(texts, small), nullptr, 0, small, "target");
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].starts_with("warning: the tokenizer splits the target texts into tokens of 1."));
}

TEST_CASE("a script with a character for each word may have short tokens") {
  std::vector<std::string> texts;
  for (int i = 0; i < 120; ++i) {
    texts.push_back(i % 2 == 0 ? "\u6211\u770b\u4e66" : "\u4f60\u559d\u8336\u6c34");
  }
  const Tokenizer tokenizer = subwords(texts, 14);
  CHECK(data_remarks(dataset(texts, tokenizer), nullptr, 0, tokenizer, "").empty());
}
