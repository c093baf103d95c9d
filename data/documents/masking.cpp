#include "data/documents/masking.h"

#include "core/random.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

constexpr uint32_t masking_use = 0x3a5c;

struct Word {
  size_t begin, end;
};

// The units that are masked as a whole: words, or single tokens if `begins_word` is empty. <s> and
// </s> are left out.
std::vector<Word> words_of(std::span<const int32_t> ids, const std::vector<bool>& begins_word) {
  std::vector<Word> words;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < special_ids && ids[i] != unknown_id) continue;
    const bool continues = !begins_word.empty() && !begins_word[static_cast<size_t>(ids[i])] &&
                           !words.empty() && words.back().end == i;
    if (continues) {
      words.back().end = i + 1;
    } else {
      words.push_back({i, i + 1});
    }
  }
  return words;
}

int32_t replacement(int32_t id, int32_t vocabulary, Random& random) {
  const double chance = random.uniform();
  if (chance < 0.8) return vocabulary;  // [MASK]
  if (chance >= 0.9 || vocabulary <= special_ids) return id;
  return special_ids + static_cast<int32_t>(random.below(uint64_t(vocabulary - special_ids)));
}

}  // namespace

std::vector<bool> word_beginnings(const Tokenizer& tokenizer) {
  std::vector<bool> begins(static_cast<size_t>(tokenizer.size()), true);
  const TokenizerKind kind = tokenizer.options().kind;
  if (kind == TokenizerKind::words) return begins;
  for (int32_t id = special_ids; id < tokenizer.size(); ++id) {
    const std::string symbol = tokenizer.symbol(id);
    begins[static_cast<size_t>(id)] =
        kind == TokenizerKind::word_piece   ? !symbol.starts_with(continuation_mark)
        : kind == TokenizerKind::byte_pairs ? symbol.starts_with(space_glyph)
                                            : symbol.starts_with(space_mark);
  }
  return begins;
}

std::vector<int32_t> mask_tokens(std::span<int32_t> ids, const Masking& masking, int64_t epoch,
                                 int64_t window) {
  std::vector<int32_t> expected(ids.size(), not_masked);
  const std::vector<Word> words = words_of(ids, masking.begins_word);
  if (words.empty()) return expected;
  Random random({.seed = masking.seed,
                 .step = static_cast<uint32_t>(epoch),
                 .part = static_cast<uint32_t>(window),
                 .use = masking_use});
  std::vector<Word> chosen;
  for (const Word& word : words) {
    if (random.uniform() < masking.share) chosen.push_back(word);
  }
  if (chosen.empty()) chosen.push_back(words[random.below(words.size())]);
  for (const Word& word : chosen) {
    for (size_t i = word.begin; i < word.end; ++i) {
      expected[i] = ids[i];
      ids[i] = replacement(ids[i], masking.vocabulary, random);
    }
  }
  return expected;
}

}  // namespace calque
