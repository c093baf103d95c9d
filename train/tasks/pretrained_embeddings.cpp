#include "train/tasks/pretrained_embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "core/error.h"
#include "data/datasets/id_counts.h"
#include "data/documents/masking.h"
#include "data/tokenizers/vocabulary.h"
#include "data/words/vectors.h"
#include "train/config/tasks.h"

namespace calque {
namespace {

// The names of the tables that embeddings.source and embeddings.target initialize.
std::string source_table(const Config& config) {
  const bool own = has(config, Feature::pairs) && config.model.tied != Tying::all;
  return own ? "source_embedding.weight" : "embedding.weight";
}
std::string target_table(const Config& config) {
  return config.model.tied == Tying::all ? "embedding.weight" : "target_embedding.weight";
}

bool is_punctuation(std::string_view text) {
  constexpr std::string_view marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  return !text.empty() && text.find_first_not_of(marks) == text.npos;
}

struct Hash : std::hash<std::string_view> {
  using is_transparent = void;
};
using RowsOfWords = std::unordered_map<std::string, std::vector<int32_t>, Hash, std::equal_to<>>;

// A table, the words of its rows, and which rows are set.
class TableRows {
 public:
  TableRows(std::string name, const Tokenizer& tokenizer, Parameters& parameters)
      : name_(std::move(name)), set_(static_cast<size_t>(tokenizer.size())) {
    const Parameters::Entry* entry = parameters.find(name_);
    require(entry != nullptr && entry->shape.rows() >= tokenizer.size(),
            "model.embeddings: no table {} of {} rows", name_, tokenizer.size());
    values_ = entry->values();
    d_model_ = entry->shape.cols();
    for (int32_t id = 0; id < tokenizer.size(); ++id) {
      const std::string word = word_of_token(tokenizer, id);
      if (!word.empty()) rows_[word].push_back(id);
    }
  }

  // Sets rows that have no vector yet from the file. Returns a line for the log.
  std::string read(const std::string& path, const std::vector<int64_t>& counts, bool frozen) {
    const WordVectorFile file(path);
    if (file.dimension() != d_model_) {
      fail(
          "model.embeddings: {} has vectors of {} numbers, but model.d_model is {}; they must be "
          "equal",
          path, file.dimension(), d_model_);
    }
    const auto before = std::ranges::count(set_, true);
    file.read([&](std::string_view word, std::span<const float> vector) {
      const auto found = rows_.find(word);
      if (found == rows_.end()) return;
      for (const int32_t row : found->second) {
        if (set_[static_cast<size_t>(row)]) continue;
        set_[static_cast<size_t>(row)] = true;
        std::ranges::copy(vector, values_.begin() + row * d_model_);
      }
    });
    const auto set = std::ranges::count(set_, true) - before;
    if (set == 0) {
      fail("model.embeddings: no word of {} is in the vocabulary of {} entries", path, set_.size());
    }
    return fmt::format(
        "model.embeddings: {} of {} entries of {} start from {}; {:.1f}% of the {}{}", set,
        set_.size(), name_, path, 100 * covered(counts), "training tokens have a vector",
        frozen ? "; frozen" : "");
  }

 private:
  // The share of the tokens whose row is set.
  double covered(const std::vector<int64_t>& counts) const {
    int64_t all = 0, with_vector = 0;
    for (size_t id = 0; id < counts.size(); ++id) {
      all += counts[id];
      if (set_[id]) with_vector += counts[id];
    }
    return all == 0 ? 0 : static_cast<double>(with_vector) / static_cast<double>(all);
  }

  const std::string name_;
  std::vector<bool> set_;  // [vocabulary]
  std::span<real> values_;
  int64_t d_model_ = 0;
  RowsOfWords rows_;
};

}  // namespace

std::string word_of_token(const Tokenizer& tokenizer, int32_t id) {
  std::string symbol = tokenizer.symbol(id);
  if (id < special_ids || tokenizer.sentence_piece() == nullptr) return symbol;
  if (symbol.starts_with(space_mark)) return symbol.substr(space_mark.size());
  return is_punctuation(symbol) ? symbol : "";
}

void freeze_embeddings(const Config& config, Parameters& parameters) {
  const EmbeddingConfig& embeddings = config.model.embeddings;
  if (!embeddings.freeze) return;
  if (!embeddings.source.empty()) parameters.freeze(source_table(config));
  if (!embeddings.target.empty()) parameters.freeze(target_table(config));
}

std::vector<std::string> load_embeddings(const Config& config, const Tokenizer& source,
                                         const std::vector<int64_t>& source_counts,
                                         const Tokenizer& target,
                                         const std::vector<int64_t>& target_counts,
                                         Parameters& parameters) {
  const EmbeddingConfig& embeddings = config.model.embeddings;
  std::vector<std::string> notes;
  std::vector<int64_t> counts = source_counts;
  const bool shared = source_table(config) == target_table(config);
  if (shared) {
    std::ranges::transform(counts, target_counts, counts.begin(), std::plus<>());
  }
  TableRows rows(source_table(config), source, parameters);
  if (!embeddings.source.empty()) {
    notes.push_back(rows.read(embeddings.source, counts, embeddings.freeze));
  }
  if (embeddings.target.empty()) return notes;
  if (shared) {
    notes.push_back(rows.read(embeddings.target, counts, embeddings.freeze));
  } else {
    TableRows own(target_table(config), target, parameters);
    notes.push_back(own.read(embeddings.target, target_counts, embeddings.freeze));
  }
  return notes;
}

std::vector<std::string> load_embeddings(const Config& config, const Tokenizer& tokenizer,
                                         const std::vector<int64_t>& counts,
                                         Parameters& parameters) {
  const EmbeddingConfig& embeddings = config.model.embeddings;
  if (embeddings.source.empty()) return {};
  TableRows rows(source_table(config), tokenizer, parameters);
  return {rows.read(embeddings.source, counts, embeddings.freeze)};
}

std::vector<std::string> load_embeddings(const Config& config, const Tokenizer& tokenizer,
                                         const Dataset& text, Parameters& parameters) {
  if (config.model.embeddings.source.empty()) return {};
  return load_embeddings(config, tokenizer, count_ids(*text.tokens, 0, tokenizer.size()),
                         parameters);
}

}  // namespace calque
