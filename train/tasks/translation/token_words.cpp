#include "train/tasks/translation/token_words.h"

namespace calque {

TokenWords token_words(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  const bool each = tokenizer.options().kind == TokenizerKind::words;
  TokenWords words;
  std::vector<int32_t> word;
  const auto end_word = [&] {
    if (!word.empty()) words.texts.push_back(tokenizer.decode(word));
    word.clear();
  };
  for (const int32_t id : ids) {
    if (each || tokenizer.symbol(id).starts_with("\u2581")) end_word();
    words.word_of.push_back(static_cast<int32_t>(words.texts.size()));
    word.push_back(id);
  }
  end_word();
  return words;
}

}  // namespace calque
