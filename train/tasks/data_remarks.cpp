#include "train/tasks/data_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/datasets/id_counts.h"

namespace calque {
namespace {

// Enough for both measurements, and few enough to count in a moment.
constexpr int64_t most_counted = 1'000'000;

using Counts = std::vector<int64_t>;  // by id

double sum_of(const Counts& counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
}

// The mean cost in nats of a token under the frequencies of training, with one added to each. A
// token of training is not counted for itself, so that both texts are new to the frequencies.
double mean_cost(const Counts& training, const Counts& text) {
  const bool itself = &training == &text;
  const double all = sum_of(training) - (itself ? 1 : 0) + static_cast<double>(training.size());
  double cost = 0;
  for (size_t id = 0; id < text.size(); ++id) {
    if (text[id] == 0) continue;
    const double known = static_cast<double>(training[id]) + (itself ? 0 : 1);
    cost -= static_cast<double>(text[id]) * std::log(known / all);
  }
  return cost / sum_of(text);
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
  const auto tokens = static_cast<double>(training.tokens->tokens_in_column(column));
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
  constexpr double fewest = 300;
  constexpr double most = 1;  // nats per token
  const Counts counts = count_sampled_ids(*training.tokens, column, vocabulary, most_counted);
  const Counts others = count_sampled_ids(*validation.tokens, column, vocabulary, most_counted);
  if (sum_of(counts) < fewest || sum_of(others) < fewest) return "";
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
