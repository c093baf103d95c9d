#include "interop/ctranslate2/folder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/files/file.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/ctranslate2/revisions.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr int64_t largest_ct2 = int64_t{64} << 30;

Ct2Model read_ct2(const std::string& place) {
  Ct2Model model = parse_ct2(read_file(place, largest_ct2), place);
  upgrade_to_current_revision(model, place);
  return model;
}

// Below version 6, attributes of the model override config.json, which may be missing.
ForeignJson read_ct2_config(const std::string& folder, Ct2Model& model, const std::string& place) {
  const std::string path = folder + "/config.json";
  if (model.version >= 6) return ForeignJson::read(path);
  nlohmann::json config = nlohmann::json::object();
  if (std::filesystem::exists(path)) config = ForeignJson::read(path).json();
  config.update(take_ct2_settings(model, place));
  return {std::move(config), place};
}

// The tokens in the order of their ids, from PATH.json, a list, or PATH.txt, one token per line.
// Nothing if neither file exists.
std::optional<std::vector<std::string>> read_token_list(const std::string& path) {
  std::vector<std::string> tokens;
  if (std::filesystem::exists(path + ".json")) {
    const nlohmann::json list = nlohmann::json::parse(
        read_file(path + ".json", ForeignJson::largest_file), nullptr, /*allow_exceptions=*/false);
    const bool texts = list.is_array() && std::ranges::all_of(list, [](const nlohmann::json& each) {
                         return each.is_string();
                       });
    if (!texts) fail("{}.json: must be a list of tokens", path);
    for (const nlohmann::json& token : list) tokens.push_back(token.get<std::string>());
  } else if (std::filesystem::exists(path + ".txt")) {
    const std::string text = read_file(path + ".txt", ForeignJson::largest_file);
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      tokens.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  } else {
    return std::nullopt;
  }
  return tokens;
}

// The ids of the tokens, and the rows of the special symbols, whose names come from the config.
// `rows` is the number of rows of the embedding table.
ForeignTokens numbered(const std::vector<std::string>& list, const Ct2Folder& folder,
                       const std::string& place, int64_t rows) {
  ForeignTokens tokens;
  for (size_t id = 0; id < list.size(); ++id) {
    if (list[id].empty() || find_invalid_utf8(list[id]) ||
        !tokens.ids.emplace(list[id], static_cast<int64_t>(id)).second) {
      fail("{}: token {} is empty, not UTF-8 or a duplicate", place, id);
    }
  }
  const ForeignJson& config = folder.config;
  const auto row = [&](std::string_view name, const std::string& token, bool required) {
    const auto found = tokens.ids.find(token);
    if (found != tokens.ids.end()) return found->second;
    if (required) {
      fail("{}: has no {}, which is {} in {}", place, printable(token), name,
           std::filesystem::path(config.path()).filename().string());
    }
    return no_row;
  };
  const std::string unknown = config.text("unk_token", "<unk>");
  if (std::ssize(list) < rows) tokens.ids.emplace(unknown, std::ssize(list));
  tokens.unknown = row("unk_token", unknown, true);
  tokens.end = row("eos_token", config.text("eos_token", "</s>"), true);
  const std::string start = config.text("decoder_start_token", config.text("bos_token", "<s>"));
  tokens.begin = row("decoder_start_token", start, false);
  return tokens;
}

std::string piece_file(const Ct2Folder& folder, const std::string& side) {
  for (const std::string& name : {side + ".model", side + ".spm", std::string("spm.model"),
                                  std::string("sentencepiece.model")}) {
    if (std::filesystem::exists(folder.path + "/" + name)) return folder.path + "/" + name;
  }
  return "";
}

}  // namespace

Ct2Folder::Ct2Folder(const std::string& folder)
    : path(folder),
      place(folder + "/model.bin"),
      model(read_ct2(place)),
      config(read_ct2_config(folder, model, place)) {}

int64_t Ct2Folder::whole(const std::string& name, std::optional<int64_t> fallback) const {
  const std::optional<int64_t> found = ct2_whole(model, name, place);
  if (!found && !fallback) fail("{}: {} is missing", place, name);
  return found ? *found : *fallback;
}

int64_t Ct2Folder::of_both(const std::string& name, std::optional<int64_t> fallback) const {
  const int64_t encoder = whole("encoder/" + name, fallback);
  if (whole("decoder/" + name, fallback) != encoder) {
    fail("{}: {} of encoder and decoder must be the same", place, name);
  }
  return encoder;
}

ForeignLanguages read_ct2_vocabularies(const Ct2Folder& folder, int64_t source_rows,
                                       int64_t target_rows) {
  const std::string source = piece_file(folder, "source"), target = piece_file(folder, "target");
  const std::string shared = folder.path + "/shared_vocabulary";
  if (const auto list = read_token_list(shared)) {
    const ForeignTokens tokens =
        numbered(*list, folder, shared, std::min(source_rows, target_rows));
    const std::vector<ForeignPieces> both = source.empty() || target.empty()
                                                ? std::vector(2, words_of(tokens, shared))
                                                : match_pieces(source, target, tokens);
    return {both[0], both[1], source_rows, target_rows, true};
  }
  const auto read = [&](const char* side, const std::string& file, int64_t rows) {
    const std::string place = fmt::format("{}/{}_vocabulary", folder.path, side);
    const auto list = read_token_list(place);
    if (!list) fail("{}.json: is missing", place);
    const ForeignTokens tokens = numbered(*list, folder, place, rows);
    return file.empty() ? words_of(tokens, place) : match_pieces(file, tokens);
  };
  return {read("source", source, source_rows), read("target", target, target_rows), source_rows,
          target_rows, false};
}

}  // namespace calque
