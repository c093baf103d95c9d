#include "serve/text_pieces.h"

namespace calque {
namespace {

void add_fixed(std::vector<TextPiece>& pieces, std::string_view text) {
  if (text.empty()) return;
  if (pieces.empty() || pieces.back().sentence) pieces.push_back({});
  pieces.back().text += text;
}

}  // namespace

std::vector<TextPiece> line_pieces(std::string_view text) {
  std::vector<TextPiece> pieces;
  while (true) {
    const size_t feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    if (line.ends_with('\r')) line.remove_suffix(1);
    pieces.push_back({std::string(line), true});
    add_fixed(pieces, text.substr(line.size(), feed == text.npos ? feed : feed + 1 - line.size()));
    if (feed == text.npos) return pieces;
    text.remove_prefix(feed + 1);
  }
}

std::vector<TextPiece> divided(std::vector<TextPiece> pieces, const SentenceSplitter& splitter) {
  std::vector<TextPiece> all;
  for (TextPiece& piece : pieces) {
    if (!piece.sentence) {
      add_fixed(all, piece.text);
      continue;
    }
    size_t at = 0;
    const std::string_view text = piece.text;
    for (const TextRange& range : splitter.split(text)) {
      add_fixed(all, text.substr(at, range.begin - at));
      all.push_back({std::string(range.of(text)), true});
      at = range.end;
    }
    add_fixed(all, text.substr(at));
  }
  return all;
}

}  // namespace calque
