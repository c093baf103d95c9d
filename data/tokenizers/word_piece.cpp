#include "data/tokenizers/word_piece.h"

#include "data/text/bert_text.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

void encode_word(const Vocabulary& vocabulary, std::string_view word, std::vector<int32_t>& out) {
  const std::vector<size_t> borders = character_borders(word);
  const size_t first = out.size(), characters = borders.size() - 1;
  bool known = characters <= WordPieceModel::longest_word;
  std::string piece;
  for (size_t begin = 0; known && begin < characters;) {
    known = false;
    for (size_t end = characters; end > begin; --end) {
      piece = begin > 0 ? continuation_mark : "";
      piece += word.substr(borders[begin], borders[end] - borders[begin]);
      const auto id = vocabulary.find(piece);
      if (!id || *id < special_ids) continue;
      out.push_back(*id);
      begin = end;
      known = true;
      break;
    }
  }
  if (known) return;
  out.resize(first);
  out.push_back(unknown_id);
}

}  // namespace

void WordPieceModel::encode(std::string_view text, std::vector<int32_t>& out) const {
  for_each_bert_word(text, uncased,
                     [&](std::string_view word) { encode_word(vocabulary, word, out); });
}

std::string WordPieceModel::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    if (id == begin_id || id == end_id) continue;
    std::string_view piece = symbol(id);
    const bool continues = piece.starts_with(continuation_mark) && piece != continuation_mark;
    if (continues) {
      piece.remove_prefix(continuation_mark.size());
    } else if (!text.empty()) {
      text += ' ';
    }
    text += piece;
  }
  return text;
}

std::string WordPieceModel::normalize(std::string_view text) const {
  std::string out;
  for_each_bert_word(text, uncased, [&](std::string_view word) {
    if (!out.empty()) out += ' ';
    out += word;
  });
  return out;
}

}  // namespace calque
