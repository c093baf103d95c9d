#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "data/files/file.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/files/npz.h"
#include "interop/marian/format.h"
#include "interop/marian/settings.h"
#include "interop/parameters/filling_walk.h"
#include "interop/tokenizers/pieces.h"
#include "train/config/fine_tuning.h"
#include "train/config/yaml.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

constexpr int64_t largest_marian = int64_t{8} << 30, largest_vocabulary = 256 << 20;
constexpr const char* marian_bias = "decoder_ff_logit_out_b";

Tensor marian_tensor(const NpyArray& array, const std::string& place) {
  std::vector<int64_t> sizes = array.shape;
  if (sizes.size() == 2 && sizes[0] == 1) sizes.erase(sizes.begin());
  Tensor tensor(foreign_shape(sizes, place, array.name));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    float value = 0;
    std::memcpy(&value, array.bytes.data() + static_cast<size_t>(i) * sizeof(value), sizeof(value));
    if (!std::isfinite(value)) {
      fail("{}: {} holds a value that is infinite or not a number", place, printable(array.name));
    }
    tensor.data()[i] = value;
  }
  return tensor;
}

// The vocabulary files in the model's folder. The settings of a decoder may name files of other
// folders; only the last part of their paths is used.
std::vector<std::string> vocabulary_files(const std::string& model) {
  const fs::path folder = fs::path(model).parent_path();
  const std::string decoder = model + ".decoder.yml";
  std::vector<std::string> names;
  if (fs::exists(decoder)) {
    const ForeignJson settings =
        marian_settings(read_text(real_files(), decoder, largest_vocabulary), decoder);
    names = settings.texts("vocabs");
    if (names.size() != 2) settings.refuse("vocabs", "must be two files");
    for (std::string& name : names) name = (folder / fs::path(name).filename()).string();
    return names;
  }
  for (const char* ending : {".spm", ".yml"}) {
    const std::string one = (folder / "vocab").string() + ending,
                      source = (folder / "source").string() + ending,
                      target = (folder / "target").string() + ending;
    if (fs::exists(one)) return {one, one};
    if (fs::exists(source) && fs::exists(target)) return {source, target};
  }
  fail("{}: has no vocabularies beside it: neither {}.decoder.yml nor vocab.spm nor vocab.yml",
       model, fs::path(model).filename().string());
}

// Marian uses the ids of the SentencePiece model.
ForeignTokens tokens_of_pieces(const std::string& path, int64_t rows) {
  const SentencePieceModel model(read_file(path, largest_vocabulary), path);
  if (model.model_size() > rows) {
    fail("{}: has {} pieces, more than the {} rows of the model's table", path, model.model_size(),
         rows);
  }
  ForeignTokens tokens;
  for (int32_t id = special_ids; id < model.size(); ++id) {
    tokens.ids.emplace(model.piece(id), model.model_id(id));
  }
  tokens.unknown = model.model_id(unknown_id);
  tokens.begin = model.model_id(begin_id);
  tokens.end = model.model_id(end_id);
  if (tokens.unknown < 0 || tokens.end < 0) fail("{}: has no <unk> or no </s>", path);
  return tokens;
}

// A line "token: id", where the token may be in quotes.
void add_token(std::string_view line, const std::string& place, int64_t rows,
               ForeignTokens& tokens) {
  const YamlValue parsed = parse_yaml(line, place);
  if (parsed.kind == YamlValue::Kind::nothing) return;  // a comment
  const bool pair = parsed.kind == YamlValue::Kind::map && parsed.entries.size() == 1;
  const std::string& id = pair ? parsed.entries.front().value.scalar : parsed.scalar;
  const bool number =
      pair && !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == id.npos;
  if (!number || parsed.entries.front().key.empty()) {
    fail("{}: must be a token and its number, token: 7", place);
  }
  if (std::stoll(id) >= rows) return;  // Marian ignores tokens without a row
  if (!tokens.ids.emplace(parsed.entries.front().key, std::stoll(id)).second) {
    fail("{}: the token is there twice", place);
  }
}

ForeignTokens tokens_of_yaml(const std::string& path, int64_t rows) {
  const std::string text = read_text(real_files(), path, largest_vocabulary);
  ForeignTokens tokens;
  int64_t number = 0;
  for_each_line(text, [&](std::string_view line) {
    add_token(line, fmt::format("{}:{}", path, ++number), rows, tokens);
  });
  std::set<int64_t> seen;
  for (const auto& [token, id] : tokens.ids) {
    if (!seen.insert(id).second) fail("{}: the number {} is there twice", path, id);
  }
  return tokens;
}

void find_special_tokens(ForeignTokens& tokens, const std::string& path) {
  const auto row = [&](std::string_view token) {
    const auto found = tokens.ids.find(token);
    return found == tokens.ids.end() ? no_row : found->second;
  };
  tokens.unknown = row(special_symbols[unknown_id]);
  tokens.begin = row(special_symbols[begin_id]);
  tokens.end = row(special_symbols[end_id]);
  if (tokens.unknown < 0 || tokens.end < 0) fail("{}: has no <unk> or no </s>", path);
}

// Rows without a token have a probability, too. Each gets a token that no text contains.
void name_other_rows(ForeignTokens& tokens, int64_t rows) {
  std::vector<bool> named(static_cast<size_t>(rows));
  for (const auto& [token, id] : tokens.ids) named[static_cast<size_t>(id)] = true;
  for (const int64_t id : {tokens.unknown, tokens.begin, tokens.end}) {
    if (id != no_row) named[static_cast<size_t>(id)] = true;
  }
  for (int64_t id = 0; id < rows; ++id) {
    if (!named[static_cast<size_t>(id)]) tokens.ids.emplace(fmt::format("<unused-{}>", id), id);
  }
}

ForeignPieces read_marian_vocabulary(const std::string& path, int64_t rows) {
  if (!fs::exists(path)) fail("{}: is missing", path);
  const std::string ending = fs::path(path).extension().string();
  ForeignTokens tokens;
  if (ending == ".spm") {
    tokens = tokens_of_pieces(path, rows);
    name_other_rows(tokens, rows);
    return match_pieces(path, tokens);
  }
  if (ending == ".json") {
    tokens = read_vocabulary_json(path, rows);
  } else if (ending == ".yml" || ending == ".yaml") {
    tokens = tokens_of_yaml(path, rows);
  } else {
    fail("{}: is no vocabulary that calque imports: neither .spm nor .yml nor .json", path);
  }
  find_special_tokens(tokens, path);
  name_other_rows(tokens, rows);
  return words_of(tokens, path);
}

ForeignLanguages read_marian_vocabularies(const ForeignJson& settings, const std::string& model) {
  const std::vector<std::string> files = vocabulary_files(model);
  const std::vector<int64_t> rows = settings.integers("dim-vocabs");
  const auto is_size = [](int64_t size) { return size >= 1 && size <= most_tokens; };
  if (rows.size() != 2 || !std::ranges::all_of(rows, is_size)) {
    settings.refuse("dim-vocabs", "must be the numbers of rows of two tables");
  }
  const ForeignPieces source = read_marian_vocabulary(files[0], rows[0]),
                      target = read_marian_vocabulary(files[1], rows[1]);
  const bool one = source.tokenizer.hash() == target.tokenizer.hash() && source.rows == target.rows;
  return {source, target, rows[0], rows[1], one};
}

// Returns which tables are tied, and puts the tables under the names that the walk visits.
Tying read_marian_tying(const ForeignJson& settings, bool one, ForeignTensors& tensors) {
  const bool all = settings.flag("tied-embeddings-all", false),
             sources = settings.flag("tied-embeddings-src", false),
             output = settings.flag("tied-embeddings", false);
  if ((all || sources) && !one) {
    settings.refuse("tied-embeddings-all", "is true, but the vocabularies are not the same");
  }
  if (all || (sources && output)) return Tying::all;
  if (output) return Tying::target;
  if (const Tensor* table = tensors.find("Wemb"); table && sources) {
    const Tensor shared = *table;
    tensors.drop("Wemb");
    for (const char* name : {"encoder_Wemb", "decoder_Wemb"}) tensors.add(name, shared);
  }
  if (const Tensor* older = tensors.find("decoder_ff_logit_out_W");
      older && older->shape().axes() == 2) {
    const Tensor weight = transposed(*older);
    tensors.drop("decoder_ff_logit_out_W");
    tensors.add("decoder_ff_logit_out_Wt", weight);
  }
  return Tying::none;
}

void read_marian_decoding(const std::string& model, DecodingConfig& to) {
  const std::string path = model + ".decoder.yml";
  to.allow_unknown = false;
  if (!fs::exists(path)) return;
  const ForeignJson settings =
      marian_settings(read_text(real_files(), path, largest_vocabulary), path);
  to.beam = settings.integer("beam-size", 1, 1000, to.beam);
  to.length_penalty = settings.number("normalize", 0);
  if (to.length_penalty < 0 || to.length_penalty > 100) {
    settings.refuse("normalize", "must be a number from 0 to 100");
  }
  to.allow_unknown = settings.flag("allow-unk", false);
}

}  // namespace

std::string marian_model(const std::string& place) {
  if (!fs::is_directory(place)) return fs::path(place).extension() == ".npz" ? place : "";
  if (fs::exists(place + "/model.npz")) return place + "/model.npz";
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".npz") && !name.ends_with(".optimizer.npz")) {
      found.push_back(entry.path().string());
    }
  }
  return found.size() == 1 ? found.front() : "";
}

MarianFile parse_marian(std::string_view bytes, const std::string& place) {
  MarianFile file{"", ForeignTensors(place)};
  for (const NpyArray& array : parse_npz(bytes, place)) {
    if (array.name == "special:model.yml") {
      file.settings = array.bytes.substr(0, array.bytes.find('\0'));
    } else if (array.type == "<f4") {
      file.tensors.add(array.name, marian_tensor(array, place));
    } else {
      file.tensors.add_other(array.name, printable(array.type));
    }
  }
  if (file.settings.empty()) fail("{}: has no special:model.yml, the settings of the model", place);
  return file;
}

Imported<Transformer> import_marian(const std::string& path) {
  auto [text, tensors] = parse_marian(read_file(path, largest_marian), path);
  const ForeignJson settings = marian_settings(text, path + ": special:model.yml");
  Imported<Transformer> to(fine_tuning_config(TaskKind::translation));
  ModelConfig& model = to.config.model;
  read_marian_model(settings, model);
  const ForeignLanguages languages = read_marian_vocabularies(settings, path);
  const ForeignVocabularies& rows = languages.rows;
  model.tied = read_marian_tying(settings, languages.one, tensors);
  read_marian_decoding(path, to.config.decoding);

  // Tokens that Marian cannot predict: pieces that are not in its list, and <s> if it lacks one.
  std::vector<int32_t> absent = languages.unlisted;
  if (rows.target[begin_id] == no_row) absent.push_back(begin_id);
  if (!tensors.has(marian_bias) && !absent.empty()) {
    tensors.add(marian_bias, Tensor::zeros({rows.target_size}));
  }
  model.output_bias = tensors.has(marian_bias);
  to.use(languages.tokenizers);
  to.fill = filling<Transformer>(walk_marian, tensors, rows, [absent](const Transformer& own) {
    for (const int32_t id : absent) own.output.bias.data()[id] = absent_logit;
  });
  return to;
}

}  // namespace calque
