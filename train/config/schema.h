#pragma once
// The schema: every key of a config, declared once. A declaration binds the key to a member of a
// struct and says what it may be, what it means, how other toolkits call it and whether it may
// change when a run is resumed. Reading and checking, `config show`, `config keys`, docs/config.md
// and the comparison on resume all walk these tables; defaults are the structs' own.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"
#include "train/config/values.h"

namespace calque {

// May a run be resumed with another value? harmful: no, it would be another run from then on.
enum class OnResume { harmless, harmful };

struct ForeignName {
  std::string_view toolkit;
  std::string_view name;
};
using ForeignNames = std::vector<ForeignName>;

inline constexpr std::string_view marian = "Marian", joey = "Joey NMT", opennmt = "OpenNMT-py",
                                  fairseq = "fairseq", sockeye = "Sockeye";

template <class Owner>
struct Key {
  std::string name;     // "model.d_model"; inside a corpus just "prefix"
  std::string allowed;  // "a whole number, 1 or more"
  OnResume on_resume;
  std::string_view meaning;
  ForeignNames elsewhere;
  std::function<void(const YamlValue& from, Owner& to)> read;
  std::function<std::string(const Owner&)> write;  // the value as YAML, on one line
  // Why the key has no effect beside the other settings; empty when it has one. To give a key that
  // has none is an error, and `config show` leaves it out.
  std::function<std::string_view(const Owner&)> idle = [](const Owner&) { return ""; };

  // Of several, the first that holds is the reason.
  template <class Condition>
  Key& idle_if(Condition condition, std::string_view reason) {
    idle = [before = idle, condition, reason](const Owner& owner) {
      const std::string_view earlier = before(owner);
      return earlier.empty() && condition(owner) ? reason : earlier;
    };
    return *this;
  }
};

// Conditions of keys that only one task has.
inline bool no_translation(const Config& c) { return c.task != TaskKind::translation; }
inline bool no_language_model(const Config& c) { return c.task != TaskKind::language_model; }
inline constexpr std::string_view with_translation = "it goes with task: translation",
                                  with_language_model = "it goes with task: language-model";

using ConfigKey = Key<Config>;
using CorpusKey = Key<CorpusConfig>;

// Adds the keys of one struct, `part(owner)`, to a table.
template <class Owner, class Part>
class Section {
 public:
  Section(std::string prefix, Part part, std::vector<Key<Owner>>& table)
      : prefix_(std::move(prefix)), part_(part), table_(table) {}

  template <class Struct, class Value>
  Key<Owner>& key(std::string_view name, Value Struct::*member, const Range& range,
                  OnResume on_resume, std::string_view meaning,
                  const ForeignNames& elsewhere = {}) {
    std::string full = prefix_ + std::string(name);
    const auto part = part_;
    return table_.emplace_back(Key<Owner>{
        .name = full,
        .allowed = allowed_values(range, Value{}),
        .on_resume = on_resume,
        .meaning = meaning,
        .elsewhere = elsewhere,
        .read = [=](const YamlValue& from,
                    Owner& to) { read_value(from, full, range, part(to).*member); },
        .write = [=](const Owner& owner) { return write_value(part(owner).*member); },
    });
  }

 private:
  std::string prefix_;
  Part part_;
  std::vector<Key<Owner>>& table_;
};

struct SectionInfo {
  std::string_view name;
  std::string_view meaning;
};

const std::vector<SectionInfo>& config_sections();
const std::vector<ConfigKey>& config_keys();  // in the order of the sections
const std::vector<CorpusKey>& corpus_keys();  // of one item of data.train, validation and test
const ConfigKey* find_config_key(std::string_view name);

// The tables behind config_keys(), a file a section; `task` stands above the sections.
void declare_task_key(std::vector<ConfigKey>& table);
void declare_data_keys(std::vector<ConfigKey>& table);
void declare_tokenizer_keys(std::vector<ConfigKey>& table);
void declare_model_keys(std::vector<ConfigKey>& table);
void declare_training_keys(std::vector<ConfigKey>& table);
void declare_decoding_keys(std::vector<ConfigKey>& table);
void declare_logging_keys(std::vector<ConfigKey>& table);

// Lists of corpora are values too.
void read_value(const YamlValue& from, std::string_view key, const Range&, Corpora& to);
std::string write_value(const Corpora& corpora);
std::string write_value(const CorpusConfig& corpus);
std::string allowed_values(const Range&, const Corpora&);

}  // namespace calque
