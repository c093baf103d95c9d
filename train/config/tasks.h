#pragma once
// The tasks as a config sees them: the features that decide which keys a task uses, the corpora
// that it accepts, and its defaults. All other code that reads configs asks for a feature, never
// for a task, so that a new task is one more row of the table in tasks.cpp.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"

namespace calque {

enum class Feature {
  pairs,              // a source and a target; the target is decoded
  text,               // the inputs are text
  documents,          // plain text is divided into documents
  cross_documents,    // windows may continue with the next document
  context,            // data.context limits the inputs
  masks,              // masked tokens are predicted
  word_contexts,      // the neighbours of words are predicted
  classes,            // classes are predicted
  pooling,            // an example is read as one vector
  two_texts,          // an example may be a pair of texts
  encoder_tokenizer,  // a run that starts from a masked language model takes its tokenizer
  pixels,             // the inputs are images
  network,            // layers that are trained by a cross-entropy
  one_stack,          // one stack of layers, an encoder or a decoder
  decoder,            // text is written from left to right
  tokens_out,         // the outputs are tokens of a vocabulary
  token_files,        // the tokenized corpora are kept in files
};

class Features {
 public:
  constexpr Features(std::initializer_list<Feature> features) {
    for (const Feature feature : features) bits_ |= bit(feature);
  }
  constexpr bool has(Feature feature) const { return (bits_ & bit(feature)) != 0; }

 private:
  static constexpr uint32_t bit(Feature feature) {
    return uint32_t{1} << static_cast<int>(feature);
  }

  uint32_t bits_ = 0;
};

struct TaskInfo {
  TaskKind kind;
  std::string_view meaning;  // completes "translation, ..." in the description of the key `task`
  Features features;
  bool (*accepts)(const CorpusConfig& corpus);
  std::string_view corpus_example;  // completes "task: NAME needs ..."
  void (*set_defaults)(Config& config);
};

const TaskInfo& task_info(TaskKind task);

inline bool has(const Config& config, Feature feature) {
  return task_info(config.task).features.has(feature);
}
inline bool lacks(const Config& config, Feature feature) { return !has(config, feature); }

// Whether the training data are pairs of answers.
bool has_preferences(const Config& config);
// The most tokens of an example that data.context limits.
int64_t largest_example(const Config& config);

std::vector<TaskKind> tasks_with(Feature feature);
std::vector<TaskKind> tasks_that_accept(const CorpusConfig& corpus);

// "language-model, masked-lm or word2vec".
std::string names_of(const std::vector<TaskKind>& tasks);

// Why a setting for `feature` has no effect on this task: "needs task: language-model or masked-lm"
// or, if that is shorter, "is not used by task: images". Empty if the task has the feature.
std::string missing_feature(TaskKind task, Feature feature);

// The description of the key `task`.
std::string meaning_of_tasks();

}  // namespace calque
