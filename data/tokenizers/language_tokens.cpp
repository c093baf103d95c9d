#include "data/tokenizers/language_tokens.h"

#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

constexpr std::string_view token_begin = ">>", token_end = "<<";

}  // namespace

std::string language_token(const std::string& language) {
  return std::string(token_begin) + language + std::string(token_end);
}

std::vector<std::string> languages_with_token(const Tokenizer& tokenizer) {
  constexpr size_t around = token_begin.size() + token_end.size();
  std::vector<std::string> languages;
  for (int32_t id = special_ids; id < tokenizer.size(); ++id) {
    const std::string symbol = tokenizer.symbol(id);
    if (symbol.size() <= around || !symbol.starts_with(token_begin)) continue;
    if (!symbol.ends_with(token_end)) continue;
    languages.push_back(symbol.substr(token_begin.size(), symbol.size() - around));
  }
  return languages;
}

}  // namespace calque
