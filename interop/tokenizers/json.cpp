#include "interop/tokenizers/json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "core/error.h"
#include "data/documents/masking.h"
#include "data/files/base64.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/tokenizers/byte_level.h"
#include "interop/tokenizers/vocabulary.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

Json of_type(const char* type) { return {{"type", type}}; }

Json sequence(const char* what, const Json& parts) {
  if (parts.empty()) return nullptr;
  return {{"type", "Sequence"}, {what, parts}};
}

Json replacing(const Json& pattern, const char* content) {
  return {{"type", "Replace"}, {"pattern", pattern}, {"content", content}};
}

Json added_token(int32_t id, const std::string& content, bool special) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", special}};
}

// Whether the piece is several spaces in a row, which SentencePiece finds before it merges others.
// The library looks for an added token in the text, where spaces are not yet U+2581, so such a
// piece comes from the first merges instead.
bool is_spaces(const SentencePieceModel& model, int32_t id) {
  const std::string space = "\u2581";
  const std::string piece = model.piece(id);
  if (!model.is_user_defined(id) || piece.size() < 2 * space.size()) return false;
  for (size_t at = 0; at < piece.size(); at += space.size()) {
    if (piece.compare(at, space.size(), space) != 0) return false;
  }
  return true;
}

// The tokens that are found before anything else, and those that are never found; the line end has
// been added.
void add_symbols(const Tokenizer& tokenizer, Json& tokens) {
  if (const BytePairModel* pairs = tokenizer.byte_pairs()) {
    const auto add = [&](const std::vector<std::string>& texts, bool special) {
      for (const std::string& text : texts) {
        tokens.push_back(added_token(*pairs->find(text), text, special));
      }
    };
    add(pairs->rules().verbatim, false);
    add(pairs->rules().control, true);
  }
  const SentencePieceModel* model = tokenizer.sentence_piece();
  for (int32_t id = special_ids; model && id < model->size(); ++id) {
    const bool control = model->is_control(id);
    if (!control && (!model->is_user_defined(id) || tokenizer.newline_id() == id)) continue;
    if (is_spaces(*model, id)) continue;
    tokens.push_back(added_token(id, model->piece(id), control));
  }
}

// The special symbols, the newline of documents and, for TextUse::masked, [MASK].
Json added_tokens(const Tokenizer& tokenizer, TextUse use) {
  Json tokens = Json::array();
  for (int32_t id = 0; id < special_ids; ++id) {
    tokens.push_back(added_token(id, token_text(tokenizer, id), true));
  }
  const bool bytes = tokenizer.options().kind == TokenizerKind::bytes;
  if (tokenizer.newline_id() && !bytes && *tokenizer.newline_id() >= special_ids &&
      token_text(tokenizer, *tokenizer.newline_id()) == "\n") {
    tokens.push_back(added_token(*tokenizer.newline_id(), "\n", false));
  }
  add_symbols(tokenizer, tokens);
  if (use == TextUse::masked) {
    tokens.push_back(added_token(mask_id(tokenizer), std::string(mask_symbol), true));
    tokens.back()["lstrip"] = true;  // the space before it belongs to no token
  }
  return tokens;
}

// The text of <s>: that of </s> if the engine gets one token for both.
std::string begin_text(const Tokenizer& tokenizer, const KeptTokens* kept) {
  return token_text(tokenizer, kept && !kept->has(begin_id) ? end_id : begin_id);
}

Json template_of_text(const Tokenizer& tokenizer, TextUse use, const KeptTokens* kept) {
  const std::string begin = begin_text(tokenizer, kept), end = token_text(tokenizer, end_id);
  const auto symbol = [&](const std::string& text, int type) {
    return Json{{"SpecialToken", {{"id", text}, {"type_id", type}}}};
  };
  const auto text = [](const char* id, int type) {
    return Json{{"Sequence", {{"id", id}, {"type_id", type}}}};
  };
  Json single = Json::array();
  if (use != TextUse::translated) single.push_back(symbol(begin, 0));
  single.push_back(text("A", 0));
  if (use != TextUse::continued) single.push_back(symbol(end, 0));
  Json pair = single;
  pair.push_back(text("B", 1));
  if (use != TextUse::continued) pair.push_back(symbol(end, 1));
  Json symbols = Json::object();
  for (const auto& [name, id] : {std::pair(begin, begin_id), std::pair(end, end_id)}) {
    symbols[name] = {{"id", name}, {"ids", {kept ? kept->engine_id(id) : id}}, {"tokens", {name}}};
  }
  return {{"type", "TemplateProcessing"},
          {"single", single},
          {"pair", pair},
          {"special_tokens", symbols}};
}

Json vocabulary_of(const Tokenizer& tokenizer) {
  Json ids = Json::object();
  for (int32_t id = 0; id < tokenizer.size(); ++id) ids[token_text(tokenizer, id)] = id;
  if (std::ssize(ids) != tokenizer.size()) {
    fail("the vocabulary has a token twice, which huggingface cannot hold");
  }
  return ids;
}

Json bpe(const Tokenizer& tokenizer, bool byte_fallback) {
  Json merges = Json::array();
  if (const BytePairModel* model = tokenizer.byte_pairs()) {
    for (const auto& [left, right] : model->merges()) merges.push_back({left, right});
  }
  if (const SentencePieceModel* model = tokenizer.sentence_piece()) {
    for (const auto& [left, right] : merges_of(*model)) {
      merges.push_back({model->piece(left), model->piece(right)});
    }
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", token_text(tokenizer, unknown_id)},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", true},
          {"byte_fallback", byte_fallback},
          {"ignore_merges", false},
          {"vocab", vocabulary_of(tokenizer)},
          {"merges", merges}};
}

Json unigram(const Tokenizer& tokenizer, bool byte_fallback) {
  Json scores = Json::array();
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    scores.push_back({token_text(tokenizer, id), tokenizer.sentence_piece()->score(id)});
  }
  return {{"type", "Unigram"},
          {"unk_id", unknown_id},
          {"vocab", scores},
          {"byte_fallback", byte_fallback}};
}

// The library normalizes and encodes the parts of a text around [MASK] separately. Only the first
// part begins the text: the others keep a leading space.
void fill_sentence_piece(const Tokenizer& tokenizer, TextUse use, Json& json) {
  const SentencePieceModel& model = *tokenizer.sentence_piece();
  const PieceNormalization rules = piece_normalization(model.bytes());
  Json normalizers = Json::array();
  if (!rules.charsmap.empty()) {
    normalizers.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", base64(rules.charsmap)}});
  }
  if (rules.removes_spaces) {
    // The library's Strip would remove all Unicode white space.
    normalizers.push_back(replacing({{"Regex", " {2,}"}}, " "));
    normalizers.push_back(replacing({{"Regex", use == TextUse::masked ? " $" : "^ | $"}}, ""));
  }
  json["normalizer"] = sequence("normalizers", normalizers);
  const char* prefix = use == TextUse::masked ? "first" : "always";
  json["pre_tokenizer"] = {{"type", "Metaspace"},
                           {"replacement", "▁"},
                           {"prepend_scheme", rules.dummy_prefix ? prefix : "never"},
                           {"split", false}};
  Json decoders =
      Json::array({replacing({{"String", "▁"}}, " "), of_type("ByteFallback"), of_type("Fuse")});
  if (rules.dummy_prefix) {
    // Each line of a document has a space before it.
    if (tokenizer.newline_id()) decoders.push_back(replacing({{"String", "\n "}}, "\n"));
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  json["decoder"] = sequence("decoders", decoders);
  bool byte_fallback = false;
  for (int32_t id = special_ids; id < model.size(); ++id) {
    byte_fallback = byte_fallback || model.piece(id) == "<0x00>";
  }
  json["model"] =
      model.is_bpe() ? bpe(tokenizer, byte_fallback) : unigram(tokenizer, byte_fallback);
}

void fill_bytes(const Tokenizer& tokenizer, Json& json) {
  json["decoder"] = sequence("decoders", Json::array({of_type("ByteFallback"), of_type("Fuse")}));
  json["model"] = bpe(tokenizer, true);
}

void fill_byte_pairs(const Tokenizer& tokenizer, Json& json) {
  const BytePairModel::Rules& rules = tokenizer.byte_pairs()->rules();
  if (rules.nfc) json["normalizer"] = of_type("NFC");
  json["pre_tokenizer"] = byte_level_split(rules.words);
  json["decoder"] = byte_level_split(WordRule::gpt2);
  json["model"] = bpe(tokenizer, false);
  json["model"]["ignore_merges"] = rules.whole_words;
}

void fill_word_pieces(const Tokenizer& tokenizer, Json& json) {
  json["normalizer"] = {{"type", "BertNormalizer"},
                        {"clean_text", true},
                        {"handle_chinese_chars", true},
                        {"strip_accents", nullptr},
                        {"lowercase", tokenizer.options().lowercase}};
  json["pre_tokenizer"] = of_type("BertPreTokenizer");
  json["decoder"] = {{"type", "WordPiece"}, {"prefix", continuation_mark}, {"cleanup", false}};
  json["model"] = {{"type", "WordPiece"},
                   {"unk_token", "<unk>"},
                   {"continuing_subword_prefix", continuation_mark},
                   {"max_input_chars_per_word", WordPieceModel::longest_word},
                   {"vocab", vocabulary_of(tokenizer)}};
}

void fill_symbols(const Tokenizer& tokenizer, Json& json) {
  if (tokenizer.options().nfkc) json["normalizer"] = of_type("NFKC");
  if (tokenizer.options().kind == TokenizerKind::words) {
    json["pre_tokenizer"] = of_type("WhitespaceSplit");
  } else {
    json["pre_tokenizer"] = {{"type", "Split"},
                             {"pattern", {{"Regex", "[\\s\\S]"}}},
                             {"behavior", "Isolated"},
                             {"invert", false}};
    json["decoder"] = of_type("Fuse");
  }
  json["model"] = {
      {"type", "WordLevel"}, {"vocab", vocabulary_of(tokenizer)}, {"unk_token", "<unk>"}};
}

// Removes the tokens that the engine does not get, of byte-level BPE, and numbers the others anew.
void keep(const KeptTokens& kept, Json& json) {
  Json& vocabulary = json["model"]["vocab"];
  Json tokens = Json::object(), added = Json::array();
  for (const auto& [text, id] : vocabulary.items()) {
    if (kept.has(id)) tokens[text] = kept.engine_id(id);
  }
  vocabulary = std::move(tokens);
  for (Json token : json["added_tokens"]) {
    if (!kept.has(token["id"])) continue;
    token["id"] = kept.engine_id(token["id"]);
    added.push_back(std::move(token));
  }
  json["added_tokens"] = std::move(added);
  if (!kept.has(unknown_id)) json["model"]["unk_token"] = nullptr;
}

}  // namespace

std::string token_text(const Tokenizer& tokenizer, int32_t id) {
  const TokenizerKind kind = tokenizer.options().kind;
  if (const SentencePieceModel* model = tokenizer.sentence_piece()) return model->piece(id);
  std::string symbol = tokenizer.symbol(id);
  if (id < special_ids || kind == TokenizerKind::bytes) return symbol;
  if (tokenizer.newline_id() == id) return "\n";
  const bool characters = kind == TokenizerKind::characters;
  if (!characters) return symbol;
  const std::pair<std::string_view, const char*> escapes[] = {
      {"▁", " "}, {tab_symbol, "\t"}, {return_symbol, "\r"}};
  for (const auto& [escape, text] : escapes) {
    if (symbol == escape) return text;
  }
  return symbol;
}

std::vector<std::pair<int32_t, int32_t>> merges_of(const SentencePieceModel& model) {
  std::unordered_map<std::string, int32_t> ids;
  for (int32_t id = special_ids; id < model.size(); ++id) {
    if (model.is_found(id) || is_spaces(model, id)) ids.emplace(model.piece(id), id);
  }
  std::vector<std::tuple<float, int32_t, int32_t>> merges;  // the negated score comes first
  for (const auto& [piece, id] : ids) {
    for (size_t border = 0; next_code_point(piece, border), border < piece.size();) {
      const auto left = ids.find(piece.substr(0, border)), right = ids.find(piece.substr(border));
      if (left == ids.end() || right == ids.end()) continue;
      const float score =
          is_spaces(model, id) ? std::numeric_limits<float>::max() : model.score(id);
      merges.emplace_back(-score, left->second, right->second);
    }
  }
  std::ranges::sort(merges);
  std::vector<std::pair<int32_t, int32_t>> pairs;
  pairs.reserve(merges.size());
  for (const auto& [score, left, right] : merges) pairs.emplace_back(left, right);
  return pairs;
}

std::string tokenizer_json(const Tokenizer& tokenizer, TextUse use, const KeptTokens* kept) {
  Json json = {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  json["added_tokens"] = added_tokens(tokenizer, use);
  json["normalizer"] = nullptr;
  json["pre_tokenizer"] = nullptr;
  json["post_processor"] = template_of_text(tokenizer, use, kept);
  json["decoder"] = nullptr;
  if (tokenizer.sentence_piece()) {
    fill_sentence_piece(tokenizer, use, json);
  } else if (tokenizer.options().kind == TokenizerKind::bytes) {
    fill_bytes(tokenizer, json);
  } else if (tokenizer.byte_pairs()) {
    fill_byte_pairs(tokenizer, json);
  } else if (tokenizer.options().kind == TokenizerKind::word_piece) {
    fill_word_pieces(tokenizer, json);
  } else {
    fill_symbols(tokenizer, json);
  }
  if (kept && std::ssize(kept->ids()) < tokenizer.size()) keep(*kept, json);
  return json.dump(1) + "\n";
}

void write_tokenizer(const ExportFolder& to, const Tokenizer& tokenizer, TextUse use,
                     int64_t longest, const std::string& chat_template, const KeptTokens* kept) {
  Json config;
  config["tokenizer_class"] = "PreTrainedTokenizerFast";
  const std::string begin = begin_text(tokenizer, kept), end = token_text(tokenizer, end_id);
  config["bos_token"] = begin;
  config["eos_token"] = end;
  config["pad_token"] = use == TextUse::translated ? begin : end;
  if (!kept || kept->has(unknown_id)) config["unk_token"] = token_text(tokenizer, unknown_id);
  if (use == TextUse::masked || use == TextUse::classified) {
    config["cls_token"] = begin;
    config["sep_token"] = end;
  }
  if (use == TextUse::masked) config["mask_token"] = mask_symbol;
  config["model_max_length"] = longest;
  config["clean_up_tokenization_spaces"] = false;
  if (!chat_template.empty()) config["chat_template"] = chat_template;
  to.write_json("tokenizer_config.json", config);
  to.write("tokenizer.json", tokenizer_json(tokenizer, use, kept));
}

}  // namespace calque
