#include <algorithm>

#include "core/error.h"
#include "data/files/file.h"
#include "interop/gguf/format.h"
#include "interop/gguf/settings.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "train/config/fine_tuning.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr int64_t largest_gguf = int64_t{64} << 30;

// The turn format, if calque knows the file's chat template.
TurnOptions read_turns(const GgufSettings& from) {
  const auto* program = from.find<std::string>("tokenizer.chat_template");
  if (!program) return {};
  const auto& tokens = from.get<std::vector<std::string>>("tokenizer.ggml.tokens");
  const auto text = [&](const char* key) -> std::string {
    if (!from.find<uint32_t>(key)) return "";
    return tokens[static_cast<size_t>(from.whole(key, 0, std::ssize(tokens) - 1))];
  };
  return turns_of_template(*program, text("tokenizer.ggml.bos_token_id"),
                           text("tokenizer.ggml.eos_token_id"));
}

// Whether the model expects <s> at the start of a text; without a setting, that of llama.cpp.
bool begins_texts(const GgufSettings& from) {
  const auto* added = from.find<bool>("tokenizer.ggml.add_bos_token");
  return added ? *added : from.get<std::string>("tokenizer.ggml.model") == "llama";
}

}  // namespace

Imported<LanguageModel> import_gguf(const GgufFile& file, const std::string& path) {
  const GgufSettings from(file, path);
  Imported<LanguageModel> to(fine_tuning_config(TaskKind::language_model));
  to.form = file.form;
  ForeignTensors tensors(path);
  for (const auto& [name, tensor] : file.tensors) tensors.add(name, tensor);
  read_gguf_model(from, tensors, to.config);
  ModelConfig& model = to.config.model;
  model.tied = tensors.has("output.weight") ? Tying::none : Tying::all;
  if (shape_of(model) == LanguageModelShape::gpt2) {
    const Tensor* table = tensors.find("position_embd.weight");
    if (!table) fail("{}: position_embd.weight is missing", path);
    model.positions = kind_of_table(*table);
  }
  ForeignVocabularies rows;
  Tokenizer tokenizer;
  rows.target = read_gguf_tokenizer(from, tokenizer);
  rows.target_size = std::ssize(from.get<std::vector<std::string>>("tokenizer.ggml.tokens"));
  model.output_bias = std::ranges::count(rows.target, no_row) > 0;
  to.use({tokenizer});
  to.config.data.turns = read_turns(from);
  to.config.data.nfkc = false;
  to.config.data.begin_windows = begins_texts(from);
  to.config.training.batch_tokens =
      std::max(to.config.training.batch_tokens, to.config.data.context);
  const auto hide_absent = [target = rows.target](const LanguageModel& own) {
    for (size_t id = 0; own.output.bias && id < target.size(); ++id) {
      if (target[id] == no_row) own.output.bias.data()[id] = absent_logit;
    }
  };
  to.fill = filling<LanguageModel>(walk_gguf, tensors, rows, hide_absent, Biases::optional);
  return to;
}

Imported<LanguageModel> import_gguf(const std::string& path) {
  return import_gguf(parse_gguf(read_file(path, largest_gguf), path), path);
}

}  // namespace calque
