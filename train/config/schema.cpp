#include "train/config/schema.h"

#include <algorithm>

namespace calque {

std::vector<ForeignName> foreign_names(std::string_view text) {
  std::vector<ForeignName> names;
  const auto take = [](std::string_view& from, std::string_view separator) {
    const size_t end = std::min(from.find(separator), from.size());
    const std::string_view first = from.substr(0, end);
    from.remove_prefix(std::min(end + separator.size(), from.size()));
    return first;
  };
  while (!text.empty()) {
    std::string_view rest = take(text, "; ");
    const std::string_view toolkit = take(rest, ": ");
    while (!rest.empty()) names.push_back({toolkit, take(rest, ", ")});
  }
  return names;
}

const std::vector<SectionInfo>& config_sections() {
  static const std::vector<SectionInfo> sections = {
      {"data", "The corpora, and which of their examples are left out."},
      {"augment", "Random changes of the training images, drawn anew in every epoch."},
      {"tokenizer",
       "How text becomes token ids. Without files, the tokenizer is trained on `data.train` and "
       "saved with the run."},
      {"model",
       "The model: a Transformer, in the terms of \"Attention Is All You Need\", or a recurrent "
       "network."},
      {"training", "Batches, the optimizer, the learning rate, validation and checkpoints."},
      {"decoding",
       "How text is translated, in validation and by `calque translate` and `calque evaluate`, "
       "whose command-line options override this section."},
      {"logging", "The output during training."},
  };
  return sections;
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> keys = [] {
    std::vector<ConfigKey> table;
    Section top(
        "", [](auto& config) -> auto& { return config; }, table);
    top.key("task", &Config::task, task_kinds, OnResume::harmful, meaning_of_tasks()).read =
        [](const YamlValue& from, Config& to) {
          Choices(task_kinds).read(from, "task", to.task);
          task_info(to.task).set_defaults(to);
        };
    declare_data_keys(table);
    declare_augment_keys(table);
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
  const auto found = std::ranges::find(keys, name, &ConfigKey::name);
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace calque
