// Tries in this order: the same name apart from case and separators, another toolkit's name, the
// same name in another section, advice on what calque has no setting for, and the nearest spelling.
#include "train/config/suggestion.h"

#include <fmt/format.h>

#include <algorithm>

#include "train/config/nearest.h"
#include "train/config/schema.h"

namespace calque {
namespace {

struct Advice {
  std::string_view names;  // separated by spaces
  std::string_view text;
};

constexpr Advice advices[] = {
    {"model_dir save_dir save_model output run_dir run overwrite",
     "the run folder is given on the command line: calque train CONFIG --run DIR"},
    {"use_cuda cuda gpu gpu_ranks world_size devices",
     "there is no such setting: calque runs on the CPU (training.threads)"},
    {"normalization cost_type sentence_avg loss_type",
     "there is no such setting: the loss is divided once, by the target tokens of the update"},
    {"initializer init_gain param_init param_init_glorot embed_initializer weight_init",
     "there is no such setting: projections start Glorot-uniform, embeddings N(0, d_model^-0.5)"},
    {"shuffle data_seed",
     "there is no such setting: training.seed determines the order of each epoch"},
    {"testing beam_search translate", "the section is called decoding"},
    {"optimizer_config optimization hyperparameters", "the section is called training"},
    {"unigram_alpha subword_alpha subword_nbest src_subword_nbest sampling",
     "the splits of a unigram model are not sampled; tokenizer.bpe_dropout samples those of BPE"},
    {"average checkpoint_averaging", "averaging is a command: calque average RUN --last 10"},
    {"<<", "merge keys are not supported; use include:"},
};

std::string full_name(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::string_view section_of(std::string_view name) { return name.substr(0, name.find('.')); }

// "model.d_model (a whole number, 1 to 65536)"
std::string with_allowed(const ConfigKey& key) {
  return fmt::format("{} ({})", key.name, key.allowed);
}

std::string_view advice(std::string_view key) {
  for (const Advice& known : advices) {
    std::string_view names = known.names;
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(' '));
      if (bare_word(name) == bare_word(key)) return known.text;
      names.remove_prefix(std::min(names.size(), name.size() + 1));
    }
  }
  return {};
}

// The first key that matches, preferably in `section`.
template <class Matches>
const ConfigKey* find_in_section_first(std::string_view section, Matches matches) {
  const ConfigKey* found = nullptr;
  for (const ConfigKey& key : config_keys()) {
    if (!matches(key)) continue;
    if (section_of(key.name) == section) return &key;
    if (found == nullptr) found = &key;
  }
  return found;
}

std::string_view toolkit_with(const ConfigKey& key, std::string_view name) {
  for (const ForeignName& foreign : key.elsewhere) {
    if (bare_word(last_part(foreign.name)) == bare_word(name)) return foreign.toolkit;
  }
  return {};
}

// The nearest spelling in the section, else anywhere, else a key that begins with the word.
const ConfigKey* nearest_key(std::string_view section, std::string_view word) {
  for (const bool same_section : {true, false}) {
    std::vector<std::string_view> names;
    for (const ConfigKey& key : config_keys()) {
      if (!same_section || section_of(key.name) == section) names.push_back(last_part(key.name));
    }
    const std::string near = nearest(word, names);
    if (near.empty()) continue;
    return find_in_section_first(section,
                                 [&](const ConfigKey& key) { return last_part(key.name) == near; });
  }
  const std::string bare = bare_word(word);
  return find_in_section_first(section, [&](const ConfigKey& key) {
    return !bare.empty() && bare_word(last_part(key.name)).starts_with(bare);
  });
}

std::string_view nearest_section(std::string_view word) {
  std::vector<std::string_view> names = {"include"};
  for (const SectionInfo& section : config_sections()) names.push_back(section.name);
  const std::string near = nearest(word, names);
  return near.empty() ? "" : *std::find(names.begin(), names.end(), near);
}

std::string suggestion(std::string_view section, std::string_view word) {
  const auto same_name = [&](const ConfigKey& key) {
    return bare_word(last_part(key.name)) == bare_word(word);
  };
  const auto foreign = [&](const ConfigKey& key) { return !toolkit_with(key, word).empty(); };
  const ConfigKey* known = find_in_section_first(section, same_name);
  if (known != nullptr && section_of(known->name) == section) {
    return fmt::format("it is spelt {}", with_allowed(*known));
  }
  const ConfigKey* meant = find_in_section_first(section, foreign);
  if (meant != nullptr && (known == nullptr || section_of(meant->name) == section)) {
    return fmt::format("{}'s name for {}", toolkit_with(*meant, word), with_allowed(*meant));
  }
  if (known != nullptr) return fmt::format("it belongs to {}", with_allowed(*known));
  if (const std::string_view text = advice(word); !text.empty()) return std::string(text);
  if (section.empty() && !nearest_section(word).empty()) {
    return fmt::format("nearest is the section {}", nearest_section(word));
  }
  if (const ConfigKey* near = nearest_key(section, word)) {
    return fmt::format("nearest is {}", with_allowed(*near));
  }
  return "'calque config keys' lists them all";
}

}  // namespace

std::string unknown_key(std::string_view section, std::string_view key) {
  const std::string name = full_name(section, key);
  if (section.empty() && find_config_key(key) != nullptr) {
    return fmt::format("{}: must be inside its section: '{}:', and indented below it '{}: ...'",
                       name, section_of(key), last_part(key));
  }
  return fmt::format("{}: unknown key; {}", name, suggestion(section, last_part(key)));
}

std::string unknown_corpus_key(std::string_view list, std::string_view key) {
  std::vector<std::string_view> names;
  for (const CorpusKey& known : corpus_keys()) {
    names.push_back(known.name);
    for (const ForeignName& foreign : known.elsewhere) {
      if (bare_word(foreign.name) == bare_word(key)) {
        return fmt::format("{}.{}: unknown key; {}'s name for {}", list, key, foreign.toolkit,
                           known.name);
      }
    }
  }
  const std::string near = nearest(key, names);
  return fmt::format("{}.{}: unknown key; {}", list, key,
                     near.empty() ? fmt::format("a corpus has {}", fmt::join(names, ", "))
                                  : fmt::format("nearest is {}", near));
}

}  // namespace calque
