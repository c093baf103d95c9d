#include "data/markup/markdown_tokens.h"

#include <algorithm>
#include <string_view>

namespace calque {
namespace {

constexpr std::string_view link = "link ";

}  // namespace

std::string link_name(size_t at) { return std::string(link) + std::to_string(at); }

// Emphasis is between two equal runs, and within a link or outside of it. A run without another is
// a tag at a place.
void pair_emphasis(std::vector<InlineToken>& tokens) {
  using Kind = InlineToken::Kind;
  constexpr size_t most_searched = 50;
  std::vector<size_t> open, floors;
  for (size_t i = 0; i < tokens.size(); ++i) {
    InlineToken& token = tokens[i];
    const bool of_link = token.text.starts_with(link);
    if (token.kind == Kind::opening && of_link) floors.push_back(open.size());
    if (token.kind == Kind::closing && of_link && !floors.empty()) {
      open.resize(std::min(open.size(), floors.back()));
      floors.pop_back();
    }
    if (token.kind != Kind::delimiters) continue;
    const size_t floor = floors.empty() ? 0 : floors.back();
    size_t k = open.size();
    const size_t last = k > most_searched ? std::max(floor, k - most_searched) : floor;
    while (token.closes && k > last && tokens[open[k - 1]].text != token.text) --k;
    if (token.closes && k > last) {
      InlineToken& other = tokens[open[k - 1]];
      open.resize(k - 1);
      other.kind = Kind::opening;
      token.kind = Kind::closing;
      other.text = token.text = "emphasis " + std::to_string(i);
    } else if (token.opens) {
      open.push_back(i);
    }
  }
}

PlacedText text_of(std::vector<InlineToken> tokens, std::vector<TextRange>& kept) {
  using Kind = InlineToken::Kind;
  MarkedTextBuilder builder(kept);
  for (InlineToken& token : tokens) {
    switch (token.kind) {
      case Kind::text:
      case Kind::bracket:
        builder.add(token.text, token.range);
        break;
      case Kind::line_end:
        builder.add_line_end(token.range);
        break;
      case Kind::kept:
        builder.keep(token.range);
        break;
      case Kind::tag:
      case Kind::delimiters:
        builder.put(token.range);
        break;
      case Kind::opening:
        builder.open(token.text, token.range);
        break;
      case Kind::closing:
        builder.close(token.text, token.range, std::move(token.instead));
        break;
    }
  }
  return builder.take();
}

}  // namespace calque
