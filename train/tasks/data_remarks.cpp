#include "train/tasks/data_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace calque {
namespace {

// Enough for both measurements, and few enough to count in a moment.
constexpr int64_t most_counted = 1'000'000;

struct Counts {
  std::vector<int64_t> of_id;
  int64_t all = 0;
};

// Counts the ids of examples that are spread over the dataset.
Counts counts_of(const TokenStore& tokens, int column, int32_t vocabulary) {
  Counts counts{std::vector<int64_t>(static_cast<size_t>(vocabulary)), 0};
  const int64_t stride = 1 + tokens.tokens() / most_counted;
  std::vector<int32_t> ids;
  for (int64_t example = 0; example < tokens.count(); example += stride) {
    const int64_t length = std::min(tokens.length(example, column), most_counted);
    ids.clear();
    tokens.read_slice(example, column, 0, length, ids);
    for (const int32_t id : ids) ++counts.of_id[static_cast<size_t>(id)];
    counts.all += length;
    if (counts.all >= most_counted) break;
  }
  return counts;
}

int64_t tokens_in_column(const TokenStore& tokens, int column) {
  int64_t sum = 0;
  for (int64_t example = 0; example < tokens.count(); ++example) {
    sum += tokens.length(example, column);
  }
  return sum;
}

// The mean cost in nats of a token under the frequencies of training, with one added to each. A
// token of training is not counted for itself, so that both texts are new to the frequencies.
double mean_cost(const Counts& training, const Counts& text) {
  const bool itself = &training == &text;
  const double all = static_cast<double>(training.all) - (itself ? 1 : 0) +
                     static_cast<double>(training.of_id.size());
  double cost = 0;
  for (size_t id = 0; id < text.of_id.size(); ++id) {
    if (text.of_id[id] == 0) continue;
    const double known = static_cast<double>(training.of_id[id]) + (itself ? 0 : 1);
    cost -= static_cast<double>(text.of_id[id]) * std::log(known / all);
  }
  return cost / static_cast<double>(text.all);
}

std::string texts_named(std::string_view side) {
  return side.empty() ? "the texts" : fmt::format("the {} texts", side);
}

bool has_subwords(const Tokenizer& tokenizer) {
  using enum TokenizerKind;
  const TokenizerKind kind = tokenizer.options().kind;
  return kind != words && kind != characters && kind != bytes;
}

// Scripts of few characters need long tokens. A character of more than two bytes is often a
// syllable or a word, so texts in such scripts are judged by their bytes.
std::string splits_too_much(const Dataset& training, int column, const Tokenizer& tokenizer,
                            std::string_view side) {
  constexpr double least_characters = 1.6, least_bytes = 2.4;
  const auto at = static_cast<size_t>(column);
  if (!has_subwords(tokenizer) || at >= training.sizes.size()) return "";
  const auto tokens = static_cast<double>(tokens_in_column(*training.tokens, column));
  const double characters = static_cast<double>(training.sizes[at].characters) / tokens;
  const double bytes = static_cast<double>(training.sizes[at].bytes) / tokens;
  if (tokens == 0 || characters >= least_characters || bytes >= least_bytes) return "";
  return fmt::format(
      "warning: the tokenizer splits {} into tokens of {:.1f} characters on average; raise "
      "tokenizer.vocabulary_size, or leave out tokenizer.files, whose vocabulary is that of other "
      "texts",
      texts_named(side), characters);
}

std::string unlike_training(const Dataset& training, const Dataset& validation, int column,
                            int32_t vocabulary, std::string_view side) {
  constexpr int64_t fewest = 300;
  constexpr double most = 1;  // nats per token
  const Counts counts = counts_of(*training.tokens, column, vocabulary);
  const Counts others = counts_of(*validation.tokens, column, vocabulary);
  if (counts.all < fewest || others.all < fewest) return "";
  const double own = mean_cost(counts, counts), other = mean_cost(counts, others);
  if (other < own + most) return "";
  return fmt::format(
      "warning: {} of data.validation are unlike those of data.train: their tokens are {:.1f} "
      "times less probable on average; are they in the same language and field, and in the right "
      "order of source and target?",
      texts_named(side), std::exp(other - own));
}

}  // namespace

std::vector<std::string> data_remarks(const Dataset& training, const Dataset* validation,
                                      int column, const Tokenizer& tokenizer,
                                      std::string_view side) {
  std::vector<std::string> remarks;
  const auto add = [&](std::string remark) {
    if (!remark.empty()) remarks.push_back(std::move(remark));
  };
  add(splits_too_much(training, column, tokenizer, side));
  if (validation != nullptr) {
    add(unlike_training(training, *validation, column, tokenizer.size(), side));
  }
  return remarks;
}

}  // namespace calque
