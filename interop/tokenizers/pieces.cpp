#include "interop/tokenizers/pieces.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "data/files/file.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/files/json.h"
#include "interop/tokenizers/vocabulary.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr int64_t largest_model_file = 256 << 20;

bool is_special(std::string_view token) {
  return token == "<pad>" || std::ranges::count(special_symbols, token) > 0;
}

SentencePieceModel read_pieces(const std::string& path) {
  return {read_file(path, largest_model_file), path};
}

// The pieces after the special symbols.
std::vector<std::string> pieces_of(const SentencePieceModel& model) {
  std::vector<std::string> pieces;
  for (int32_t id = special_ids; id < model.size(); ++id) pieces.push_back(model.piece(id));
  return pieces;
}

// The tokens in the order of their ids, without special symbols.
std::vector<std::string> in_order(const ForeignTokens& tokens) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [token, id] : tokens.ids) {
    if (!is_special(token)) order.emplace_back(id, token);
  }
  std::ranges::sort(order);
  std::vector<std::string> list;
  for (auto& [id, token] : order) list.push_back(std::move(token));
  return list;
}

void append_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  std::set<std::string> seen(list.begin(), list.end());
  for (const std::string& piece : more) {
    if (seen.insert(piece).second) list.push_back(piece);
  }
}

ForeignPieces with_list(const SentencePieceModel& model, const std::vector<std::string>& pieces,
                        const ForeignTokens& tokens, const std::string& path) {
  SentencePieceModel own = pieces_of(model) == pieces
                               ? model
                               : SentencePieceModel(with_pieces(model.bytes(), pieces), path);
  ForeignPieces matched;
  matched.rows = {tokens.unknown, tokens.begin, tokens.end};
  for (int32_t id = special_ids; id < own.size(); ++id) {
    const auto found = tokens.ids.find(own.piece(id));
    if (found == tokens.ids.end()) matched.unlisted.push_back(id);
    matched.rows.push_back(found == tokens.ids.end() ? tokens.unknown : found->second);
  }
  const TokenizerKind kind = own.is_bpe() ? TokenizerKind::bpe : TokenizerKind::unigram;
  matched.tokenizer = Tokenizer(std::move(own), {.kind = kind});
  return matched;
}

}  // namespace

ForeignTokens read_vocabulary_json(const std::string& path, int64_t rows) {
  const ForeignJson file = ForeignJson::read(path);
  ForeignTokens tokens;
  std::set<int64_t> seen;
  for (const auto& item : file.json().items()) {
    const nlohmann::json& id = item.value();
    const bool valid = id.is_number_unsigned() && id.get<uint64_t>() < static_cast<uint64_t>(rows);
    if (!valid || !seen.insert(id.get<int64_t>()).second) {
      fail("{}: the id of {} must be a whole number below {} that no other token has", path,
           printable(item.key()), rows);
    }
    if (item.key().empty()) fail("{}: has an empty token", path);
    tokens.ids.emplace(item.key(), id.get<int64_t>());
  }
  const auto unknown = tokens.ids.find("<unk>");
  if (unknown == tokens.ids.end()) fail("{}: has no <unk>", path);
  tokens.unknown = unknown->second;
  return tokens;
}

ForeignPieces match_pieces(const std::string& model_path, const ForeignTokens& tokens) {
  const SentencePieceModel model = read_pieces(model_path);
  std::vector<std::string> pieces = pieces_of(model);
  append_new(pieces, in_order(tokens));
  return with_list(model, pieces, tokens, model_path);
}

std::vector<ForeignPieces> match_pieces(const std::string& source_path,
                                        const std::string& target_path,
                                        const ForeignTokens& tokens) {
  const SentencePieceModel source = read_pieces(source_path), target = read_pieces(target_path);
  if (source.bytes() == target.bytes()) {
    const ForeignPieces one = match_pieces(source_path, tokens);
    return {one, one};
  }
  std::vector<std::string> pieces = in_order(tokens);
  append_new(pieces, pieces_of(source));
  append_new(pieces, pieces_of(target));
  return {with_list(source, pieces, tokens, source_path),
          with_list(target, pieces, tokens, target_path)};
}

ForeignPieces words_of(const ForeignTokens& tokens, const std::string& place) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [token, id] : tokens.ids) {
    const bool special = id == tokens.unknown || id == tokens.end || id == tokens.begin ||
                         std::ranges::count(special_symbols, token) > 0;
    if (!special) order.emplace_back(id, token);
  }
  std::ranges::sort(order);
  ForeignPieces words;
  SymbolModel model;
  words.rows = {tokens.unknown, tokens.begin, tokens.end};
  for (const auto& [id, token] : order) {
    if (token.find_first_of(std::string_view("\t\n\r\0 ", 5)) != token.npos) {
      fail("{}: the token {} is not a word: it contains white space", place, printable(token));
    }
    model.vocabulary.add(token);
    words.rows.push_back(id);
  }
  words.tokenizer = Tokenizer(std::move(model), {.kind = TokenizerKind::words, .nfkc = false});
  return words;
}

}  // namespace calque
