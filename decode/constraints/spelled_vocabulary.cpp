#include "decode/constraints/spelled_vocabulary.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "core/error.h"
#include "data/text/utf8.h"
#include "decode/constraints/character_set.h"

namespace calque {
namespace {

std::vector<std::string> spellings_of(const Tokenizer& tokenizer) {
  const TokenizerKind kind = tokenizer.options().kind;
  if (kind == TokenizerKind::words || kind == TokenizerKind::word_piece) {
    fail("the output of a model with a tokenizer of the kind {} cannot be constrained",
         name_of(tokenizer_kinds, kind));
  }
  std::vector<std::string> spellings;
  for (int32_t id = 0; id < tokenizer.size(); ++id) spellings.push_back(tokenizer.spelling(id));
  return spellings;
}

// Whether decoding drops a space at the beginning of a line.
bool drops_first_space(const Tokenizer& tokenizer, const std::vector<std::string>& spellings) {
  const auto found = std::ranges::find_if(
      spellings, [](const std::string& text) { return text.size() > 1 && text[0] == ' '; });
  if (found == spellings.end()) return false;
  const auto id = static_cast<int32_t>(found - spellings.begin());
  return !tokenizer.decode_document({&id, 1}).starts_with(' ');
}

// Bytes that occur in characters of several bytes.
bool spells_all_bytes(const std::array<bool, 256>& tokens) {
  return std::all_of(tokens.begin() + 0x80, tokens.begin() + 0xF5,
                     [](bool is_token) { return is_token; });
}

}  // namespace

SpelledVocabulary::SpelledVocabulary(const Tokenizer& tokenizer)
    : SpelledVocabulary(spellings_of(tokenizer)) {
  drops_first_space_ = drops_first_space(tokenizer, spellings_);
  if (drops_first_space_) line_end_ = tokenizer.newline_id();
}

SpelledVocabulary::SpelledVocabulary(std::vector<std::string> spellings,
                                     std::optional<int32_t> line_end)
    : spellings_(std::move(spellings)), line_end_(line_end) {
  drops_first_space_ = line_end.has_value();
  find_characters();
  build_tree();
}

// If a byte of characters of several bytes is no token, those characters must be tokens of their
// own, and tokens that end inside a character are dropped: what follows might have no token.
void SpelledVocabulary::find_characters() {
  std::array<bool, 256> bytes = {};
  for (const std::string& text : spellings_) {
    if (text.size() == 1) bytes[static_cast<uint8_t>(text[0])] = true;
  }
  if (spells_all_bytes(bytes)) {
    characters_ = {{0x80, 0x10FFFF}};
  } else {
    for (std::string& text : spellings_) {
      if (find_invalid_utf8(text)) text.clear();
    }
  }
  for (const std::string& text : spellings_) {
    if (text.empty() || text.size() > 4 || find_invalid_utf8(text)) continue;
    size_t at = 0;
    const char32_t point = next_code_point(text, at);
    if (at == text.size()) characters_.push_back({point, point});
  }
  characters_ = common_to(united(std::move(characters_), {}), all_characters());
}

void SpelledVocabulary::build_tree() {
  for (std::string& text : spellings_) {
    if (text.size() > std::numeric_limits<uint16_t>::max()) text.clear();
    longest_ = std::max(longest_, text.size());
  }
  order_.resize(spellings_.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto text_of = [&](int32_t id) -> const std::string& {
    return spellings_[static_cast<size_t>(id)];
  };
  std::erase_if(order_, [&](int32_t id) { return text_of(id).empty(); });
  std::ranges::sort(order_, {},
                    [&](int32_t id) { return std::pair(std::string_view(text_of(id)), id); });
  std::vector<uint32_t> path;  // the node of each depth
  const auto close = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back()) {
      nodes_[path.back()].after = static_cast<uint32_t>(nodes_.size());
    }
  };
  std::string_view before;
  for (size_t i = 0; i < order_.size(); ++i) {
    const std::string_view text = text_of(order_[i]);
    close(static_cast<size_t>(std::ranges::mismatch(before, text).in1 - before.begin()));
    for (size_t depth = path.size(); depth < text.size(); ++depth) {
      path.push_back(static_cast<uint32_t>(nodes_.size()));
      // The node before this one has no tokens but those that precede this text.
      nodes_.push_back({0, static_cast<uint32_t>(i), static_cast<uint16_t>(depth + 1),
                        static_cast<uint8_t>(text[depth])});
    }
    before = text;
  }
  close(0);
  nodes_.push_back({0, static_cast<uint32_t>(order_.size()), 0, 0});
}

std::string_view SpelledVocabulary::spelling(int32_t id, bool begins_line) const {
  std::string_view text = spellings_[static_cast<size_t>(id)];
  if (begins_line && text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

bool SpelledVocabulary::is_at_line_begin(std::span<const int32_t> ids) const {
  if (!drops_first_space_) return false;
  const auto has_text = [&](int32_t id) { return !spellings_[static_cast<size_t>(id)].empty(); };
  const auto last = std::find_if(ids.rbegin(), ids.rend(), has_text);
  return last == ids.rend() || begins_line(*last);
}

}  // namespace calque
