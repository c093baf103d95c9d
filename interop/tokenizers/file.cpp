#include "interop/tokenizers/file.h"

#include <cmath>

#include "core/error.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

using ParsedJson = nlohmann::json;

constexpr const char* vocabulary_key = "model.vocab";

}  // namespace

TokenizerFile::TokenizerFile(const std::string& path, int64_t size)
    : file(ForeignJson::read(path)) {
  const ForeignJson own = model();
  type = own.text("type", own.has("merges") ? "BPE" : "");
  if (type != "BPE" && type != "Unigram" && type != "WordPiece" && type != "WordLevel") {
    refuse("model.type", fmt::format("is {}; calque imports BPE, Unigram, WordPiece and WordLevel",
                                     printable(type)));
  }
  if (!own.has("vocab")) refuse(vocabulary_key, "is missing");
  byte_fallback = own.flag("byte_fallback", false);
  read_vocabulary(own.json()["vocab"], size);
  read_added(size);
  if (type == "Unigram") {
    const int64_t id = own.integer("unk_id", 0, size - 1, int64_t{0});
    if (!tokens.contains(id)) refuse("model.unk_id", "is not the id of a token");
    unknown = tokens.at(id);
  } else {
    unknown = own.text("unk_token", "");
  }
  if (!unknown.empty() && !ids.contains(unknown)) refuse("model.unk_token", "is not a token");
}

ForeignJson TokenizerFile::model() const {
  if (!file.has("model")) refuse("model", "is missing");
  return {file.json()["model"], file.path() + ": model"};
}

void TokenizerFile::add_token(const std::string& token, int64_t id, int64_t size) {
  if (token.empty() || id < 0 || id >= size) {
    refuse(vocabulary_key,
           fmt::format("has a token without text, or an id that is not below {}", size));
  }
  if (!tokens.emplace(id, token).second || !ids.emplace(token, id).second) {
    refuse(vocabulary_key,
           fmt::format("has the token {} or its id {} twice", printable(token), id));
  }
}

void TokenizerFile::read_vocabulary(const ParsedJson& vocabulary, int64_t size) {
  if (type != "Unigram") {
    if (!vocabulary.is_object()) refuse(vocabulary_key, "must be an object");
    for (const auto& item : vocabulary.items()) {
      if (!item.value().is_number_unsigned() || item.value().get<uint64_t>() > INT32_MAX) {
        refuse(vocabulary_key, "must map tokens to whole numbers");
      }
      add_token(item.key(), item.value().get<int64_t>(), size);
    }
    return;
  }
  if (!vocabulary.is_array()) refuse(vocabulary_key, "must be a list");
  int64_t id = 0;
  for (const ParsedJson& entry : vocabulary) {
    const bool pair =
        entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number();
    if (!pair) refuse(vocabulary_key, "must be a list of tokens with their scores");
    scores[id] = entry[1].get<float>();
    if (!std::isfinite(scores[id])) refuse(vocabulary_key, "has a score that is not finite");
    add_token(entry[0].get<std::string>(), id++, size);
  }
}

void TokenizerFile::read_added(int64_t size) {
  if (!file.has("added_tokens")) return;
  const ParsedJson& list = file.json()["added_tokens"];
  if (!list.is_array()) refuse("added_tokens", "must be a list");
  for (const ParsedJson& entry : list) {
    const ForeignJson token(entry, file.path() + ": added_tokens");
    const std::string text = token.text("content");
    const int64_t id = token.integer("id", 0, size - 1);
    const auto known = ids.find(text);
    if (known == ids.end()) {
      add_token(text, id, size);
    } else if (known->second != id) {
      refuse("added_tokens", fmt::format("{} has two ids", printable(text)));
    }
    (token.flag("special", false) ? special : added).insert(id);
  }
}

std::vector<std::pair<std::string, std::string>> TokenizerFile::merges() const {
  const ForeignJson own = model();
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!own.has("merges")) return pairs;
  const ParsedJson& list = own.json()["merges"];
  if (!list.is_array()) refuse("model.merges", "must be a list");
  for (const ParsedJson& entry : list) {
    if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
      pairs.emplace_back(entry[0].get<std::string>(), entry[1].get<std::string>());
    } else if (entry.is_string()) {
      const std::string text = entry.get<std::string>();
      const size_t space = text.find(' ');
      if (space == text.npos) refuse("model.merges", "must be pairs of tokens");
      pairs.emplace_back(text.substr(0, space), text.substr(space + 1));
    } else {
      refuse("model.merges", "must be pairs of tokens");
    }
    const auto& [left, right] = pairs.back();
    if (!ids.contains(left) || !ids.contains(right) || !ids.contains(left + right)) {
      refuse("model.merges", fmt::format("{} and {} are not tokens whose concatenation is a token",
                                         printable(left), printable(right)));
    }
  }
  return pairs;
}

std::vector<ForeignJson> TokenizerFile::parts(const std::string& what) const {
  std::vector<ForeignJson> list;
  if (!file.has(what)) return list;
  const ForeignJson whole(file.json()[what], file.path() + ": " + what);
  if (whole.text("type") != "Sequence") return {whole};
  const std::string key = what == "pre_tokenizer" ? "pretokenizers" : what + "s";
  if (!whole.has(key) || !whole.json()[key].is_array()) whole.refuse(key, "must be a list");
  for (const ParsedJson& part : whole.json()[key]) list.emplace_back(part, whole.path());
  return list;
}

std::string part_pattern(const ForeignJson& part) {
  if (!part.has("pattern")) return "";
  const ForeignJson pattern(part.json()["pattern"], part.path() + ": pattern");
  return pattern.text("Regex", pattern.text("String", ""));
}

}  // namespace calque
