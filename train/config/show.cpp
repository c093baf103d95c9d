#include "train/config/show.h"

#include <fmt/format.h>

namespace calque {
namespace {

std::string_view section_of(const ConfigKey& key) {
  return std::string_view(key.name).substr(0, key.name.find('.'));
}

std::string_view name_in_section(const ConfigKey& key) {
  return std::string_view(key.name).substr(key.name.find('.') + 1);
}

// `text` as comment lines of at most 100 columns.
std::string comment(std::string_view text, std::string_view indent) {
  constexpr size_t width = 96;
  std::string lines;
  while (!text.empty()) {
    size_t end = text.size();
    if (end > width) end = text.rfind(' ', width);
    if (end == std::string_view::npos) end = text.size();
    lines += fmt::format("{}# {}\n", indent, text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

// One line for each corpus.
std::string corpora_lines(const Corpora& corpora) {
  if (corpora.empty()) return " []\n";
  std::string lines = "\n";
  for (const CorpusConfig& corpus : corpora) lines += "    - " + write_value(corpus) + "\n";
  return lines;
}

const Corpora* corpora_of(const ConfigKey& key, const Config& config) {
  if (key.name == "data.train") return &config.data.train;
  if (key.name == "data.validation") return &config.data.validation;
  if (key.name == "data.test") return &config.data.test;
  return nullptr;
}

// A cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '<') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string elsewhere_text(const std::vector<ForeignName>& names) {
  std::string text;
  std::string_view toolkit;
  for (const ForeignName& name : names) {
    const bool same = name.toolkit == toolkit;
    text += same ? ", " : (text.empty() ? "" : "; ");
    text += same ? fmt::format("`{}`", name.name) : fmt::format("{} `{}`", name.toolkit, name.name);
    toolkit = name.toolkit;
  }
  return text;
}

template <class Owner>
std::string key_row(const Key<Owner>& key, std::string_view name) {
  static const Owner defaults;
  std::string meaning = key.meaning;
  const std::string elsewhere = elsewhere_text(key.elsewhere);
  if (!elsewhere.empty()) meaning += fmt::format(" *Elsewhere: {}.*", elsewhere);
  return fmt::format("| `{}` | {} | `{}` | {} | {} |\n", name, cell(key.allowed),
                     cell(key.write(defaults)), key.on_resume == OnResume::harmless ? "yes" : "no",
                     cell(meaning));
}

constexpr std::string_view table_head =
    "| Key | Allowed | Default | Changes on resume | Meaning |\n|---|---|---|---|---|\n";

constexpr std::string_view reference_head =
    R"(# The config, key by key

This page is generated from the program's own tables by `calque config keys --markdown`.

A config is a YAML file with the key `task` and seven sections. A key that is left out has the default
below, so a config can be short. Those of `configs/`, commented line by line, are part of the program:
`calque config list` lists them, `calque train toy` uses one, and `calque config show toy --verbatim > my.yaml`
copies it. A file of the same name takes precedence.

- `calque config check CONFIG` lists everything that is wrong, by file and line, then the settings that
  contradict each other, and the files that are missing.
- `calque config show CONFIG` prints all settings in use; `--comments` explains each.
- `calque config keys CONFIG` shows where the value of each key comes from.

**Layers.** The order is: defaults; the files named by `include:` (a path or a list of paths, relative
to the including file, or a built-in config); the file itself; `--set key=value` on the command line, as
in `--set training.until=20e --set 'data.train={toy: copy}'`. Later layers override earlier ones, and a list
is replaced as a whole. A key that has no effect because of another setting (`learning_rate` with the
schedule noam) is an error, also in an included file. `task`, `model.preset`, `model.kind` and
`model.init_from` are applied before the other keys of their own layer and after all earlier layers.

**Paths** of corpora, tokenizers and `model.init_from` are relative to the working directory, and so is
`runs/`. This also holds when `calque evaluate --split` reads a run's own corpora again.

**Resuming.** A run can be resumed with a changed config if only keys marked "yes" under "Changes on
resume" differ. Any other change is refused, and the message shows the difference.

**Names in other toolkits** are listed under "Elsewhere". A config that uses one of them is refused with a
message that has calque's name. Four settings have another meaning elsewhere: the learning rate of `noam`
is a factor in OpenNMT-py but a peak in fairseq and Marian (`training.factor`, `training.learning_rate`);
length penalties have two forms (`decoding.length_penalty_kind`); label smoothing is spread over slightly
different sets of tokens (`training.label_smoothing`); patience in Joey NMT lowers the learning rate, while
here it ends training (`training.patience`).
)";

// The name of a corpus is only for reports: it changes nothing in a run.
Config without_names(Config config) {
  for (Corpora* corpora : {&config.data.train, &config.data.validation, &config.data.test}) {
    for (CorpusConfig& corpus : *corpora) corpus.name.clear();
  }
  return config;
}

}  // namespace

std::string show_config(const Config& config, Comments comments) {
  const ConfigKey& task = *find_config_key("task");
  std::string text = comments == Comments::meanings ? comment(task.meaning, "") : "";
  text += fmt::format("task: {}\n", task.write(config));
  for (const SectionInfo& section : config_sections()) {
    text += "\n";
    if (comments == Comments::meanings) text += comment(section.meaning, "");
    text += fmt::format("{}:\n", section.name);
    for (const ConfigKey& key : config_keys()) {
      if (section_of(key) != section.name || !key.idle(config).empty()) continue;
      if (comments == Comments::meanings) text += comment(key.meaning, "  ");
      const Corpora* corpora = corpora_of(key, config);
      text += fmt::format("  {}:", name_in_section(key));
      text +=
          corpora != nullptr ? corpora_lines(*corpora) : fmt::format(" {}\n", key.write(config));
    }
  }
  return text;
}

std::vector<ConfigDifference> config_differences(const Config& earlier, const Config& later) {
  const Config before = without_names(earlier), now = without_names(later);
  const auto value = [](const ConfigKey& key, const Config& config) {
    return key.idle(config).empty() ? key.write(config) : "not used";
  };
  std::vector<ConfigDifference> differences;
  for (const ConfigKey& key : config_keys()) {
    std::string was = value(key, before);
    std::string is = value(key, now);
    if (was != is) differences.push_back({key.name, std::move(was), std::move(is), key.on_resume});
  }
  return differences;
}

std::string config_reference() {
  std::string text(reference_head);
  text += fmt::format("\n## task\n\n{}{}", table_head, key_row(*find_config_key("task"), "task"));
  for (const SectionInfo& section : config_sections()) {
    text += fmt::format("\n## {}\n\n{}\n\n{}", section.name, section.meaning, table_head);
    for (const ConfigKey& key : config_keys()) {
      if (section_of(key) == section.name) text += key_row(key, name_in_section(key));
    }
    if (section.name == "model") {
      text +=
          fmt::format("\n### Experts\n\nThe map `experts`. `count` is required.\n\n{}", table_head);
      for (const ExpertKey& key : expert_keys()) text += key_row(key, key.name);
      text += fmt::format(
          "\n### Adapters\n\nThe map `adapter`. `kind` is required. "
          "[fine-tuning.md](fine-tuning.md#adapters) describes the result.\n\n{}",
          table_head);
      for (const AdapterKey& key : adapter_keys()) text += key_row(key, key.name);
      text += fmt::format(
          "\n### Sparse attention\n\nThe map `attention`. `window` is required.\n\n{}", table_head);
      for (const AttentionKey& key : attention_keys()) text += key_row(key, key.name);
      text += fmt::format("\n### Rotary positions\n\nThe map `rotation`.\n\n{}", table_head);
      for (const RotationKey& key : rotation_keys()) text += key_row(key, key.name);
      text += fmt::format(
          "\n### Word vectors\n\nThe map `embeddings`. It needs `source` or `target`. "
          "[embeddings.md](embeddings.md) describes the files.\n\n{}",
          table_head);
      for (const EmbeddingKey& key : embedding_keys()) text += key_row(key, key.name);
    }
    if (section.name != "data") continue;
    text += fmt::format(
        "\n### A corpus\n\nOne item of `train`, `validation` or `test`: a map with exactly one of "
        "{}; "
        "or a text, which is a prefix.\n\n{}",
        corpus_forms, table_head);
    for (const CorpusKey& key : corpus_keys()) text += key_row(key, key.name);
    text += fmt::format(
        "\n### Turns\n\nThe map `turns`. `format` is required. "
        "[language-models.md](language-models.md#conversations) describes the formats.\n\n{}",
        table_head);
    for (const TurnKey& key : turn_keys()) text += key_row(key, key.name);
    text += fmt::format(
        "\n### Back-translation\n\nThe map `back_translate`. `run` and `text` are required. "
        "[translating.md](translating.md#synthetic-corpora) has a recipe.\n\n{}",
        table_head);
    for (const BackTranslationKey& key : back_translation_keys()) text += key_row(key, key.name);
    text += fmt::format(
        "\n### Distillation\n\nThe map `distill`. `run` is required. "
        "[translating.md](translating.md#synthetic-corpora) has a recipe.\n\n{}",
        table_head);
    for (const DistillationKey& key : distillation_keys()) text += key_row(key, key.name);
    text += fmt::format(
        "\n### Terms\n\nThe map `terms`. `share` is required. "
        "[translating.md](translating.md#glossaries) has a recipe.\n\n{}",
        table_head);
    for (const TermTrainingKey& key : term_training_keys()) text += key_row(key, key.name);
  }
  return text;
}

}  // namespace calque
