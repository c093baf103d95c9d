#include "data/conversations/turn_tokens.h"

#include <algorithm>

#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// The markers of all formats.
constexpr std::string_view all_markers[] = {
    "<|im_start|>", "<|im_end|>",      "<|start_header_id|>", "<|end_header_id|>",
    "<|eot_id|>",   "<start_of_turn>", "<end_of_turn>"};

}  // namespace

TurnTokens::TurnTokens(const Tokenizer& tokenizer, const TurnOptions& options)
    : tokenizer_(tokenizer), options_(options) {
  for (int32_t id = special_ids; id < tokenizer_.size(); ++id) {
    const std::string symbol = tokenizer_.symbol(id);
    if (std::ranges::count(all_markers, symbol) > 0) markers_.emplace(symbol, id);
  }
  if (!options_.begin.empty()) markers_[options_.begin] = begin_id;
  if (!options_.end.empty()) markers_[options_.end] = end_id;
}

int32_t TurnTokens::id_of(const TurnPiece& piece) const {
  switch (piece.kind) {
    case TurnPiece::Kind::begin:
      return begin_id;
    case TurnPiece::Kind::end:
      return end_id;
    case TurnPiece::Kind::marker: {
      const auto found = markers_.find(piece.text);
      return found == markers_.end() ? -1 : found->second;
    }
    case TurnPiece::Kind::text:
      break;
  }
  return -1;
}

TurnTokens::Encoded TurnTokens::encode(const Conversation& conversation, bool open) const {
  std::vector<TurnPiece> pieces = turn_pieces(options_, conversation, open);
  // A marker that is no token is part of the text around it.
  std::vector<TurnPiece> joined;
  for (TurnPiece& piece : pieces) {
    if (id_of(piece) < 0) piece.kind = TurnPiece::Kind::text;
    const bool joins = !joined.empty() && piece.kind == TurnPiece::Kind::text &&
                       joined.back().kind == TurnPiece::Kind::text &&
                       joined.back().answer == piece.answer;
    if (joins) {
      joined.back().text += piece.text;
    } else {
      joined.push_back(std::move(piece));
    }
  }
  Encoded encoded{{}, {0}};
  size_t counted = 0;
  for (const TurnPiece& piece : joined) {
    if (const int32_t id = id_of(piece); id >= 0) {
      encoded.ids.push_back(id);
    } else {
      tokenizer_.encode_document(piece.text, encoded.ids);
    }
    const auto added = static_cast<int32_t>(encoded.ids.size() - counted);
    counted = encoded.ids.size();
    // Runs of answers have odd numbers.
    if (encoded.runs.size() % 2 == (piece.answer ? 1 : 0)) encoded.runs.push_back(0);
    encoded.runs.back() += added;
  }
  return encoded;
}

std::vector<int32_t> TurnTokens::ends() const {
  std::vector<int32_t> ids = {end_id};
  const int32_t marker = id_of(end_of_answer(options_));
  if (marker >= 0 && marker != end_id) ids.push_back(marker);
  return ids;
}

std::vector<std::string> TurnTokens::end_texts() const {
  const TurnPiece end = end_of_answer(options_);
  return id_of(end) < 0 ? std::vector{end.text} : std::vector<std::string>{};
}

}  // namespace calque
