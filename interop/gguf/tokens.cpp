// The tokenizer of a GGUF file: SentencePiece's BPE, byte-level BPE, or bytes.
#include <map>

#include "data/text/byte_glyphs.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/gguf/settings.h"
#include "interop/tokenizers/byte_level.h"
#include "interop/tokenizers/vocabulary.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

struct GgufTokens {
  const std::vector<std::string>& texts;
  const std::vector<int32_t>& kinds;
  int64_t begin, end, unknown;  // ids, or no_row

  bool is_symbol(int64_t id) const { return id == begin || id == end || id == unknown; }
};

GgufTokens read_tokens(const GgufSettings& from) {
  const std::string name = "tokenizer.ggml.";
  const auto& texts = from.get<std::vector<std::string>>(name + "tokens");
  const auto& kinds = from.get<std::vector<int32_t>>(name + "token_type");
  if (texts.empty() || kinds.size() != texts.size()) {
    from.refuse(name + "token_type", "must have as many entries as tokens");
  }
  const auto special = [&](const std::string& symbol) {
    const std::string key = name + symbol + "_token_id";
    return from.find<uint32_t>(key) ? from.whole(key, 0, std::ssize(texts) - 1) : no_row;
  };
  return {texts, kinds, special("bos"), special("eos"), special("unknown")};
}

// llama.cpp finds user-defined tokens in the text itself and writes their spaces as such;
// SentencePiece finds them after it has marked the spaces.
std::string piece_text(const std::string& text, int32_t kind) {
  if (kind != static_cast<int32_t>(PieceKind::user_defined)) return text;
  std::string marked;
  for (const char c : text) marked += c == ' ' ? std::string(space_mark) : std::string(1, c);
  return marked;
}

Tokenizer read_pieces(const GgufSettings& from, const GgufTokens& tokens) {
  const auto& scores = from.get<std::vector<float>>("tokenizer.ggml.scores");
  if (scores.size() != tokens.texts.size()) {
    from.refuse("tokenizer.ggml.scores", "must have as many entries as tokens");
  }
  NewPieceModel model;
  model.normalization.removes_spaces = false;
  if (const auto* prefix = from.find<bool>("tokenizer.ggml.add_space_prefix")) {
    model.normalization.dummy_prefix = *prefix;
  }
  const int64_t symbols[] = {tokens.unknown, tokens.begin, tokens.end};
  for (size_t i = 0; i < std::size(symbols); ++i) {
    if (symbols[i] != no_row) model.symbols[i] = tokens.texts[static_cast<size_t>(symbols[i])];
  }
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    if (tokens.is_symbol(static_cast<int64_t>(id))) continue;
    const int32_t kind = tokens.kinds[id];
    if (kind < 1 || kind > 6 || kind == 2) {
      from.refuse("tokenizer.ggml.token_type", fmt::format("has the type {}", kind));
    }
    model.pieces.push_back(
        {piece_text(tokens.texts[id], kind), scores[id], static_cast<PieceKind>(kind)});
  }
  return {SentencePieceModel(piece_model_bytes(model), from.place()), {.kind = TokenizerKind::bpe}};
}

// The rows of the special symbols, and then of the tokens with these texts.
VocabularyRows rows_of(const GgufSettings& from, const GgufTokens& tokens,
                       const std::vector<std::string>& texts, bool pieces = false) {
  std::map<std::string, int64_t> ids;
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    if (tokens.is_symbol(static_cast<int64_t>(id))) continue;
    const std::string& text = tokens.texts[id];
    ids.emplace(pieces ? piece_text(text, tokens.kinds[id]) : text, id);
  }
  VocabularyRows rows = {tokens.unknown, tokens.begin, tokens.end};
  for (const std::string& text : texts) {
    const auto found = ids.find(text);
    if (found == ids.end()) {
      from.refuse("tokenizer.ggml.tokens", fmt::format("has no {}", printable(text)));
    }
    rows.push_back(found->second);
  }
  return rows;
}

// Of llama.cpp's names of the ways to cut words, those that calque has.
constexpr Named<WordRule> pre_tokenizers[] = {{"gpt-2", WordRule::gpt2},
                                              {"llama-bpe", WordRule::llama3},
                                              {"llama3", WordRule::llama3},
                                              {"llama-v3", WordRule::llama3},
                                              {"qwen2", WordRule::qwen2},
                                              {"smollm", WordRule::smollm},
                                              {"deepseek-r1-qwen", WordRule::qwen2}};

Tokenizer read_byte_pairs(const GgufSettings& from, const GgufTokens& tokens,
                          const std::vector<std::string>& merges) {
  const auto& pre = from.get<std::string>("tokenizer.ggml.pre");
  const auto rule = choice_named(pre_tokenizers, pre);
  if (!rule) {
    from.refuse(
        "tokenizer.ggml.pre",
        fmt::format("is {}; calque has gpt-2, llama-bpe, qwen2 and smollm", printable(pre)));
  }
  // llama.cpp does not normalize the texts of Qwen by NFC, as transformers does.
  BytePairModel::Rules rules{
      .words = *rule, .whole_words = *rule == WordRule::llama3, .nfc = *rule == WordRule::qwen2};
  Vocabulary vocabulary;
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    if (tokens.is_symbol(static_cast<int64_t>(id))) continue;
    const std::string& text = tokens.texts[id];
    const auto kind = static_cast<PieceKind>(tokens.kinds[id]);
    if (kind == PieceKind::unused) continue;  // padding of the table
    if (kind == PieceKind::user_defined) rules.verbatim.push_back(text);
    if (kind == PieceKind::control) rules.control.push_back(text);
    if (text.empty() || !add_token(vocabulary, text)) {
      from.refuse("tokenizer.ggml.tokens",
                  fmt::format("has {}, which calque cannot hold", printable(text)));
    }
  }
  std::vector<BytePairModel::Merge> pairs;
  for (const std::string& merge : merges) {
    const size_t border = merge.find(' ', 1);
    if (border == merge.npos) {
      from.refuse("tokenizer.ggml.merges", fmt::format("has {}", printable(merge)));
    }
    pairs.push_back({merge.substr(0, border), merge.substr(border + 1)});
  }
  return {BytePairModel(std::move(vocabulary), std::move(pairs), std::move(rules), from.place()),
          {.kind = TokenizerKind::byte_pairs, .nfkc = false}};
}

}  // namespace

VocabularyRows read_gguf_tokenizer(const GgufSettings& from, Tokenizer& to) {
  const GgufTokens tokens = read_tokens(from);
  const auto& type = from.get<std::string>("tokenizer.ggml.model");
  const auto* merges = from.find<std::vector<std::string>>("tokenizer.ggml.merges");
  if (type == "llama") {
    to = read_pieces(from, tokens);
  } else if (type != "gpt2") {
    from.refuse("tokenizer.ggml.model",
                fmt::format("is {}; calque imports llama and gpt2", printable(type)));
  } else if (merges && !merges->empty()) {
    to = read_byte_pairs(from, tokens, *merges);
  } else {
    to = Tokenizer(ByteModel(), {.kind = TokenizerKind::bytes});
    return rows_of(from, tokens, byte_glyphs());
  }
  const SentencePieceModel* pieces = to.sentence_piece();
  std::vector<std::string> texts;
  for (int32_t id = special_ids; id < to.size(); ++id) {
    texts.push_back(pieces ? pieces->piece(id) : to.symbol(id));
  }
  return rows_of(from, tokens, texts, pieces != nullptr);
}

}  // namespace calque
