// Puts the tables of the sections together.
#include "train/config/schema.h"

#include <algorithm>

#include "train/config/task_defaults.h"

namespace calque {

const std::vector<SectionInfo>& config_sections() {
  static const std::vector<SectionInfo> sections = {
      {"data", "What to learn from, and what of it to leave out."},
      {"tokenizer",
       "How text becomes a sequence of ids. It is trained on `data.train` when no files "
       "are given, and saved with the run."},
      {"model", "The Transformer, in the words of \"Attention Is All You Need\"."},
      {"training", "How it learns, for how long, and what is kept of it."},
      {"decoding",
       "How text is translated, in validation and by `calque translate` and "
       "`calque evaluate`; the commands' own options come before it."},
      {"logging", "What there is to see while it learns."},
  };
  return sections;
}

void declare_task_key(std::vector<ConfigKey>& table) {
  Section in(
      "", [](auto& config) -> auto& { return config; }, table);
  in.key("task", &Config::task, {}, OnResume::harmful,
         "What is trained: translation, the encoder-decoder Transformer on pairs of lines; or "
         "language-model, a decoder-only Transformer on plain text. It sets what is usual for the "
         "task, and other keys refine that.")
      .read = [](const YamlValue& from, Config& to) {
    read_value(from, "task", {}, to.task);
    apply_task(to);
  };
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> keys = [] {
    std::vector<ConfigKey> table;
    declare_task_key(table);
    declare_data_keys(table);
    declare_tokenizer_keys(table);
    declare_model_keys(table);
    declare_training_keys(table);
    declare_decoding_keys(table);
    declare_logging_keys(table);
    return table;
  }();
  return keys;
}

const ConfigKey* find_config_key(std::string_view name) {
  const auto& keys = config_keys();
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const ConfigKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace calque
