#include "interop/tokenizers/json_import.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/files/base64.h"
#include "data/files/text_lines.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/tokenizers/byte_level.h"
#include "interop/tokenizers/file.h"
#include "interop/tokenizers/json.h"
#include "interop/tokenizers/vocabulary.h"
#include "interop/tokenizers/word_piece_import.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

// The rules of SentencePiece that correspond to a normalizer and a pre-tokenizer. Strip removes all
// Unicode white space, Replace only spaces, as SentencePiece does. Published SentencePiece models
// have either, so both are accepted.
PieceNormalization read_rules(const TokenizerFile& file) {
  PieceNormalization rules{.dummy_prefix = false, .removes_spaces = false};
  bool strips = false;
  for (const ForeignJson& part : file.parts("normalizer")) {
    const std::string type = part.text("type"), pattern = part_pattern(part);
    if (type == "Precompiled") {
      const auto map = from_base64(part.text("precompiled_charsmap", ""));
      if (!map) part.refuse("precompiled_charsmap", "is not base64");
      rules.charsmap = *map;
    } else if (type == "Prepend" && part.text("prepend") == space_mark) {
      rules.dummy_prefix = true;
    } else if (type == "Replace" && pattern == " {2,}") {
      rules.removes_spaces = true;
    } else if (type == "Strip" || (type == "Replace" && (pattern == " $" || pattern == "^ | $"))) {
      strips = true;
    } else if (type != "Replace" || pattern != " ") {
      part.refuse("type", fmt::format("is {} of '{}', which SentencePiece does not do",
                                      printable(type), printable(pattern)));
    }
  }
  if (strips && !rules.removes_spaces) {
    file.refuse("normalizer",
                "removes spaces at the ends, but not repeated ones, which SentencePiece does too");
  }
  for (const ForeignJson& part : file.parts("pre_tokenizer")) {
    const std::string type = part.text("type");
    if (type != "Metaspace" || part.text("replacement") != space_mark) {
      part.refuse("type", fmt::format("is {}; calque imports Metaspace with {}", printable(type),
                                      space_mark));
    }
    const bool prefix = part.flag("add_prefix_space", true);
    rules.dummy_prefix = part.text("prepend_scheme", prefix ? "always" : "never") != "never";
  }
  return rules;
}

PieceKind kind_of_token(const TokenizerFile& file, int64_t id, const std::string& text) {
  if (file.special.contains(id)) return PieceKind::control;
  if (file.byte_fallback && text.size() == 6 && text.starts_with("<0x")) return PieceKind::byte;
  return file.added.contains(id) ? PieceKind::user_defined : PieceKind::normal;
}

bool is_symbol_of(const ForeignSpecials& specials, const TokenizerFile& file, int64_t id) {
  return id == specials.begin || id == specials.end || id == specials.mask ||
         file.tokens.at(id) == file.unknown;
}

// Scores that give the merges of BPE their order. new_model() gives lower scores to tokens that no
// merge makes.
std::map<std::string, float> scores_of_merges(
    const std::vector<std::pair<std::string, std::string>>& merges) {
  std::map<std::string, float> scores;
  for (const auto& [left, right] : merges) {
    scores.emplace(left + right, -static_cast<float>(scores.size()));
  }
  return scores;
}

NewPieceModel new_model(const TokenizerFile& file, const ForeignSpecials& specials) {
  NewPieceModel model{.unigram = file.type == "Unigram", .normalization = read_rules(file)};
  const std::map<std::string, float> made = scores_of_merges(file.merges());
  float next = -static_cast<float>(made.size());
  const auto text_of = [&](int64_t id) {
    const auto found = file.tokens.find(id);
    return found == file.tokens.end() ? std::string() : found->second;
  };
  model.symbols = {file.unknown, text_of(specials.begin), text_of(specials.end)};
  for (const auto& [id, text] : file.tokens) {
    if (is_symbol_of(specials, file, id)) continue;
    NewPiece piece{text, 0, kind_of_token(file, id, text)};
    if (piece.kind == PieceKind::normal) {
      const auto found = made.find(text);
      piece.score = model.unigram         ? file.scores.at(id)
                    : found == made.end() ? next--
                                          : found->second;
    }
    model.pieces.push_back(std::move(piece));
  }
  return model;
}

// SentencePiece merges any two pieces whose concatenation is a piece; other libraries merge only
// the pairs that they list.
void require_all_merges(const TokenizerFile& file, const SentencePieceModel& model) {
  auto listed = file.merges();
  std::vector<std::pair<std::string, std::string>> possible;
  for (const auto& [left, right] : merges_of(model)) {
    possible.emplace_back(model.piece(left), model.piece(right));
  }
  if (listed == possible) return;
  std::ranges::sort(listed);
  std::ranges::sort(possible);
  if (listed != possible) {
    file.refuse("model.merges", "are not those of a SentencePiece model");
  }
}

Tokenizer piece_tokenizer(const TokenizerFile& file, const ForeignSpecials& specials) {
  SentencePieceModel model(piece_model_bytes(new_model(file, specials)), file.file.path());
  if (model.is_bpe()) require_all_merges(file, model);
  const TokenizerKind kind = model.is_bpe() ? TokenizerKind::bpe : TokenizerKind::unigram;
  return {std::move(model), {.kind = kind}};
}

bool is_byte_tokenizer(const TokenizerFile& file, const ForeignSpecials& specials) {
  int64_t bytes = 0;
  for (const auto& [id, text] : file.tokens) {
    if (is_symbol_of(specials, file, id)) continue;
    if (kind_of_token(file, id, text) != PieceKind::byte) return false;
    ++bytes;
  }
  return bytes == 256;
}

// The symbol of a token. Characters that a line of a vocabulary cannot hold are escaped.
std::string escaped(const std::string& text, TokenizerKind kind) {
  if (text == "\n") return std::string(newline_symbol);
  if (kind == TokenizerKind::words) return text;
  if (text == " ") return std::string(space_mark);
  if (text == "\t") return std::string(tab_symbol);
  return text == "\r" ? std::string(return_symbol) : text;
}

Tokenizer symbol_tokenizer(const TokenizerFile& file, const ForeignSpecials& specials) {
  TokenizerOptions options{.kind = TokenizerKind::words, .nfkc = false};
  for (const ForeignJson& part : file.parts("normalizer")) {
    const std::string type = part.text("type");
    if (type != "NFKC") part.refuse("type", fmt::format("is {}, not NFKC", printable(type)));
    options.nfkc = true;
  }
  const std::vector<ForeignJson> splits = file.parts("pre_tokenizer");
  const bool words = splits.size() == 1 && splits[0].text("type") == "WhitespaceSplit";
  const bool characters = splits.size() == 1 && splits[0].text("type") == "Split" &&
                          part_pattern(splits[0]) == "[\\s\\S]";
  if (!words && !characters) {
    file.refuse("pre_tokenizer", "is neither WhitespaceSplit nor a split into characters");
  }
  if (characters) options.kind = TokenizerKind::characters;
  SymbolModel model;
  model.unit = words ? SymbolUnit::word : SymbolUnit::character;
  for (const auto& [id, text] : file.tokens) {
    if (is_symbol_of(specials, file, id)) continue;
    const std::string symbol = escaped(text, options.kind);
    const bool plain = symbol.find_first_of(std::string_view("\t\n\r\0", 4)) == symbol.npos;
    if (!plain || find_invalid_utf8(symbol) || model.vocabulary.find(symbol)) {
      file.refuse("model.vocab",
                  fmt::format("has the token {}, which calque cannot hold", printable(text)));
    }
    model.vocabulary.add(symbol);
  }
  return {std::move(model), options};
}

// calque removes accents if and only if it lowercases.
Tokenizer word_pieces(const TokenizerFile& file, const ForeignSpecials& specials) {
  const std::vector<ForeignJson> normalizers = file.parts("normalizer"),
                                 splits = file.parts("pre_tokenizer");
  if (normalizers.size() != 1 || normalizers[0].text("type") != "BertNormalizer" ||
      splits.size() != 1 || splits[0].text("type") != "BertPreTokenizer") {
    file.refuse("normalizer", "and pre_tokenizer must be those of BERT");
  }
  const ForeignJson& rules = normalizers[0];
  ForeignWordPieces pieces{.tokens = file.tokens};
  pieces.uncased = rules.flag("lowercase", true);
  if (rules.flag("strip_accents", pieces.uncased) != pieces.uncased) {
    rules.refuse("strip_accents", "must be null, or the same as lowercase");
  }
  for (const char* flag : {"clean_text", "handle_chinese_chars"}) {
    if (!rules.flag(flag, true)) rules.refuse(flag, "must be true");
  }
  const ForeignJson model = file.model();
  if (model.text("continuing_subword_prefix", "##") != continuation_mark) {
    model.refuse("continuing_subword_prefix", "must be ##");
  }
  const auto longest = static_cast<int64_t>(WordPieceModel::longest_word);
  model.integer("max_input_chars_per_word", longest, longest, longest);
  if (const auto unknown = file.ids.find(file.unknown); unknown != file.ids.end()) {
    pieces.unknown = unknown->second;
  }
  return word_piece_tokenizer(pieces, specials, file.file.path());
}

bool begins_texts(const TokenizerFile& file) {
  for (const ForeignJson& part : file.parts("post_processor")) {
    if (part.text("type") != "TemplateProcessing" || !part.has("single")) continue;
    const nlohmann::json& single = part.json()["single"];
    if (single.is_array() && !single.empty() && single[0].contains("SpecialToken")) return true;
  }
  return false;
}

}  // namespace

ForeignTokenizer read_tokenizer_json(const std::string& path, const ForeignSpecials& specials) {
  const TokenizerFile file(path, specials.size);
  const auto is_symbol = [&](int64_t id) { return is_symbol_of(specials, file, id); };
  ForeignTokenizer read;
  if (file.type == "WordPiece") {
    read.tokenizer = word_pieces(file, specials);
  } else if (file.type == "WordLevel") {
    read.tokenizer = symbol_tokenizer(file, specials);
  } else if (is_byte_level(file)) {
    read.tokenizer = byte_level_tokenizer(file, is_symbol);
  } else if (is_byte_tokenizer(file, specials)) {
    read.tokenizer = Tokenizer(ByteModel(), {.kind = TokenizerKind::bytes});
  } else {
    read.tokenizer = piece_tokenizer(file, specials);
  }
  const auto unknown = file.ids.find(file.unknown);
  read.rows = {unknown == file.ids.end() ? no_row : unknown->second, specials.begin, specials.end};
  for (int32_t id = special_ids; id < read.tokenizer.size(); ++id) {
    const std::string token = token_text(read.tokenizer, id);
    const auto found = file.ids.find(token);
    if (found == file.ids.end()) file.refuse("model.vocab", "has no " + printable(token));
    read.rows.push_back(found->second);
  }
  read.begins_texts = begins_texts(file);
  return read;
}

}  // namespace calque
