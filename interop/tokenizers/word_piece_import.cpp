#include "interop/tokenizers/word_piece_import.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "data/files/file.h"
#include "data/text/utf8.h"
#include "data/tokenizers/symbol_model.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/tokenizers/file.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr int64_t largest_token_list = 256 << 20;

// The special symbols that tokenizer_config.json names. Those that it does not name are BERT's.
struct BertSymbols {
  std::string unknown = "[UNK]", begin = "[CLS]", end = "[SEP]", mask = "[MASK]";

  explicit BertSymbols(const ForeignJson& config) {
    const std::pair<std::string*, const char*> names[] = {
        {&unknown, "unk_token"}, {&begin, "cls_token"}, {&end, "sep_token"}, {&mask, "mask_token"}};
    for (const auto& [to, key] : names) {
      if (!config.has(key)) continue;
      const nlohmann::json& value = config.json()[key];
      *to = value.is_object() ? ForeignJson(value, config.path() + ": " + key).text("content")
                              : config.text(key);
    }
  }

  template <class Ids>
  ForeignSpecials specials(const Ids& ids, int64_t size) const {
    const auto id_of = [&](const std::string& name) {
      const auto found = ids.find(name);
      return found == ids.end() ? no_row : found->second;
    };
    return {id_of(begin), id_of(end), size, id_of(mask)};
  }
};

// The row of [MASK] in a folder whose tokenizer has the tokens `ids`.
template <class Ids>
int64_t mask_row(const ForeignSpecials& specials, const Ids& ids, MaskToken mask,
                 const BertSymbols& symbols, const std::string& path) {
  if (specials.mask != no_row) return specials.mask;
  if (mask == MaskToken::required) fail("{}: has no {}", path, printable(symbols.mask));
  std::set<int64_t> taken;
  for (const auto& [token, id] : ids) taken.insert(id);
  int64_t row = 0;
  while (taken.contains(row)) ++row;
  return row < specials.size ? row : no_row;
}

ForeignTokenizer read_vocab_txt(const std::string& path, const ForeignJson& config,
                                const BertSymbols& symbols, int64_t size, MaskToken mask) {
  ForeignWordPieces pieces;
  pieces.uncased = config.flag("do_lower_case", true);
  if (config.flag("strip_accents", pieces.uncased) != pieces.uncased) {
    config.refuse("strip_accents", "must be the same as do_lower_case");
  }
  if (!config.flag("tokenize_chinese_chars", true)) {
    config.refuse("tokenize_chinese_chars", "must be true");
  }
  std::string list = read_file(path, largest_token_list);
  if (list.ends_with('\n')) list.pop_back();
  std::map<std::string, int64_t> ids;
  for_each_line(list, [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto id = std::ssize(pieces.tokens);
    pieces.tokens.emplace(id, line);
    ids.emplace(line, id);
  });
  if (std::ssize(pieces.tokens) > size) {
    fail("{}: has {} tokens, but the model's table has {} rows", path, pieces.tokens.size(), size);
  }
  const auto unknown = ids.find(symbols.unknown);
  if (unknown != ids.end()) pieces.unknown = unknown->second;
  const ForeignSpecials specials = symbols.specials(ids, size);
  const int64_t last_row = mask_row(specials, ids, mask, symbols, path);
  ForeignTokenizer read{word_piece_tokenizer(pieces, specials, path),
                        {pieces.unknown, specials.begin, specials.end}};
  for (int32_t id = special_ids; id < read.tokenizer.size(); ++id) {
    read.rows.push_back(ids.at(read.tokenizer.symbol(id)));
  }
  read.rows.push_back(last_row);
  return read;
}

}  // namespace

Tokenizer word_piece_tokenizer(const ForeignWordPieces& pieces, const ForeignSpecials& specials,
                               const std::string& place) {
  const TokenizerOptions options{.kind = TokenizerKind::word_piece, .lowercase = pieces.uncased};
  WordPieceModel model;
  model.uncased = pieces.uncased;
  for (const auto& [id, token] : pieces.tokens) {
    if (id == pieces.unknown || id == specials.begin || id == specials.end || id == specials.mask) {
      continue;
    }
    const bool plain =
        !token.empty() && token.find_first_of(std::string_view("\t\n\r\0", 4)) == token.npos;
    if (!plain || find_invalid_utf8(token)) {
      fail("{}: has the token {}, which calque cannot hold", place, printable(token));
    }
    if (model.vocabulary.find(token)) fail("{}: has the token {} twice", place, printable(token));
    model.vocabulary.add(token);
  }
  return {std::move(model), options};
}

ForeignTokenizer read_bert_tokenizer(const std::string& folder, int64_t size, MaskToken mask) {
  namespace fs = std::filesystem;
  const std::string settings = folder + "/tokenizer_config.json", json = folder + "/tokenizer.json",
                    list = folder + "/vocab.txt";
  const ForeignJson config = fs::exists(settings) ? ForeignJson::read(settings)
                                                  : ForeignJson(nlohmann::json::object(), settings);
  const BertSymbols symbols(config);
  if (!fs::exists(json) && fs::exists(list)) {
    return read_vocab_txt(list, config, symbols, size, mask);
  }
  const auto ids = TokenizerFile(json, size).ids;
  const ForeignSpecials specials = symbols.specials(ids, size);
  const int64_t last_row = mask_row(specials, ids, mask, symbols, json);
  ForeignTokenizer read = read_tokenizer_json(json, specials);
  read.rows.push_back(last_row);
  return read;
}

}  // namespace calque
