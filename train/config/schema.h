#pragma once
// The schema: every key of a config, declared once. A declaration binds the key to a member of a
// struct and gives its allowed values, its meaning, its names in other toolkits and whether it may
// change when a run is resumed. Reading, checking, `config show`, `config keys`,
// docs/config.md and the comparison on resume all use these tables. The defaults are the initial
// values of the members.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"
#include "train/config/tasks.h"
#include "train/config/values.h"

namespace calque {

// Whether a run can be resumed with another value of the key. A changed value of a harmful key is
// refused, because the result would not be that of a run with this value from the start.
enum class OnResume { harmless, harmful };

// The name of a setting in another toolkit.
struct ForeignName {
  std::string_view toolkit;
  std::string_view name;
};
// Parses a list such as "Marian: dim-emb; Joey NMT: hidden_size, embedding_dim".
std::vector<ForeignName> foreign_names(std::string_view text);

template <class Owner>
struct Key {
  std::string name;     // "model.d_model"; "prefix" for a key of a corpus
  std::string allowed;  // "a whole number, 1 or more"
  OnResume on_resume;
  std::string meaning;
  std::vector<ForeignName> elsewhere;
  std::function<void(const YamlValue& from, Owner& to)> read;
  std::function<std::string(const Owner&)> write;  // the value as YAML, on one line
  // Returns why the key has no effect with the other settings; an empty text if it has an effect. A
  // config that sets a key without effect is refused, and `config show` omits the key.
  std::function<std::string(const Owner&)> idle = [](const Owner&) { return ""; };

  // Adds a function like idle(), which returns the reason of the first one that has a reason.
  template <class Reason>
  Key& add_idle(Reason reason) {
    idle = [before = idle, reason](const Owner& owner) {
      const std::string earlier = before(owner);
      return earlier.empty() ? std::string(reason(owner)) : earlier;
    };
    return *this;
  }
  template <class Condition>
  Key& idle_if(Condition condition, std::string_view reason) {
    return add_idle([=](const Owner& owner) { return condition(owner) ? reason : ""; });
  }
  // The key has an effect only on tasks with this feature. `advice` is added to the reason.
  Key& needs(Feature feature, std::string_view advice = "") {
    return add_idle([=](const Owner& owner) {
      const std::string reason = missing_feature(owner.task, feature);
      return reason.empty() ? reason : reason + std::string(advice);
    });
  }
};

// model.kind: rnn; only translation has it.
inline bool is_rnn(const Config& c) {
  return has(c, Feature::pairs) && c.model.kind == ModelConfig::Kind::rnn;
}

using ConfigKey = Key<Config>;
using CorpusKey = Key<CorpusConfig>;
using ExpertKey = Key<ExpertOptions>;
using AdapterKey = Key<AdapterOptions>;
using TurnKey = Key<TurnOptions>;
using AttentionKey = Key<Sparsity>;
using RotationKey = Key<Rotation>;
using EmbeddingKey = Key<EmbeddingConfig>;
using BackTranslationKey = Key<BackTranslation>;
using DistillationKey = Key<Distillation>;
using TermTrainingKey = Key<TermTraining>;

// Reads, writes and describes values in a range. Choices does the same for an enum.
template <class Value>
struct InRange {
  Range range;
  void read(const YamlValue& from, std::string_view key, Value& to) const {
    read_value(from, key, range, to);
  }
  std::string write(const Value& value) const { return write_value(value); }
  std::string allowed() const { return allowed_values(range, Value{}); }
};

// Adds the keys of one struct, `part(owner)`, to a table.
template <class Owner, class Part>
class Section {
 public:
  Section(std::string prefix, Part part, std::vector<Key<Owner>>& table)
      : prefix_(std::move(prefix)), part_(part), table_(table) {}

  template <class Struct, class Value>
  Key<Owner>& key(std::string_view name, Value Struct::*member, const Range& range,
                  OnResume on_resume, std::string_view meaning, std::string_view elsewhere = "") {
    return add(name, member, InRange<Value>{range}, on_resume, meaning, elsewhere);
  }
  template <class Struct, class Choice, size_t count>
  Key<Owner>& key(std::string_view name, Choice Struct::*member,
                  const Named<Choice> (&names)[count], OnResume on_resume, std::string_view meaning,
                  std::string_view elsewhere = "") {
    return add(name, member, Choices<Choice>(names), on_resume, meaning, elsewhere);
  }

 private:
  template <class Member, class Values>
  Key<Owner>& add(std::string_view name, Member member, const Values& values, OnResume on_resume,
                  std::string_view meaning, std::string_view elsewhere) {
    const std::string full = prefix_ + std::string(name);
    return table_.emplace_back(Key<Owner>{
        .name = full,
        .allowed = values.allowed(),
        .on_resume = on_resume,
        .meaning = std::string(meaning),
        .elsewhere = foreign_names(elsewhere),
        .read = [=, part = part_](const YamlValue& from,
                                  Owner& to) { values.read(from, full, part(to).*member); },
        .write = [=, part = part_](const Owner& from) { return values.write(part(from).*member); },
    });
  }

  std::string prefix_;
  Part part_;
  std::vector<Key<Owner>>& table_;
};

struct SectionInfo {
  std::string_view name;
  std::string_view meaning;
};

const std::vector<SectionInfo>& config_sections();
const std::vector<ConfigKey>& config_keys();    // in the order of the sections
const std::vector<CorpusKey>& corpus_keys();    // of one item of data.train, validation and test
const std::vector<ExpertKey>& expert_keys();    // of model.experts
const std::vector<TurnKey>& turn_keys();        // of data.turns
const std::vector<AdapterKey>& adapter_keys();  // of model.adapter
const std::vector<AttentionKey>& attention_keys();               // of model.attention
const std::vector<RotationKey>& rotation_keys();                 // of model.rotation
const std::vector<EmbeddingKey>& embedding_keys();               // of model.embeddings
const std::vector<BackTranslationKey>& back_translation_keys();  // of data.back_translate
const std::vector<DistillationKey>& distillation_keys();         // of data.distill
const std::vector<TermTrainingKey>& term_training_keys();        // of data.terms
const ConfigKey* find_config_key(std::string_view name);

// The tables behind config_keys().
void declare_data_keys(std::vector<ConfigKey>& table);
void declare_augment_keys(std::vector<ConfigKey>& table);
void declare_tokenizer_keys(std::vector<ConfigKey>& table);
void declare_model_keys(std::vector<ConfigKey>& table);
void declare_training_keys(std::vector<ConfigKey>& table);
void declare_decoding_keys(std::vector<ConfigKey>& table);
void declare_logging_keys(std::vector<ConfigKey>& table);

// The functions of values.h for lists of corpora, and for maps with their own keys.
void read_value(const YamlValue& from, std::string_view key, const Range&, Corpora& to);
std::string write_value(const Corpora& corpora);
std::string write_value(const CorpusConfig& corpus);
std::string allowed_values(const Range&, const Corpora&);

void read_value(const YamlValue& from, std::string_view key, const Range&, ExpertOptions& to);
std::string write_value(const ExpertOptions& experts);
std::string allowed_values(const Range&, const ExpertOptions&);

void read_value(const YamlValue& from, std::string_view key, const Range&, TurnOptions& to);
std::string write_value(const TurnOptions& turns);
std::string allowed_values(const Range&, const TurnOptions&);

void read_value(const YamlValue& from, std::string_view key, const Range&, AdapterOptions& to);
std::string write_value(const AdapterOptions& adapter);
std::string allowed_values(const Range&, const AdapterOptions&);

void read_value(const YamlValue& from, std::string_view key, const Range&, Sparsity& to);
std::string write_value(const Sparsity& sparsity);
std::string allowed_values(const Range&, const Sparsity&);

void read_value(const YamlValue& from, std::string_view key, const Range&, Rotation& to);
std::string write_value(const Rotation& rotation);
std::string allowed_values(const Range&, const Rotation&);

void read_value(const YamlValue& from, std::string_view key, const Range&, EmbeddingConfig& to);
std::string write_value(const EmbeddingConfig& embeddings);
std::string allowed_values(const Range&, const EmbeddingConfig&);

void read_value(const YamlValue& from, std::string_view key, const Range&, BackTranslation& to);
std::string write_value(const BackTranslation& back_translation);
std::string allowed_values(const Range&, const BackTranslation&);

void read_value(const YamlValue& from, std::string_view key, const Range&, Distillation& to);
std::string write_value(const Distillation& distillation);
std::string allowed_values(const Range&, const Distillation&);

void read_value(const YamlValue& from, std::string_view key, const Range&, TermTraining& to);
std::string write_value(const TermTraining& terms);
std::string allowed_values(const Range&, const TermTraining&);

}  // namespace calque
