#pragma once
// A small run of each task: the list over which the tests of the trainer run.

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/folders.h"
#include "train/trainer_fixture.h"

namespace calque {

struct TaskCase {
  std::string name;
  std::string config;
  std::string metric_column;  // of a metric that most other tasks lack; empty if there is none
  std::string place;          // what precedes the number of an example in a message: ", pairs "
  std::string corpus_key;     // the config key of a corpus in one file
  std::string corpus_text, other_text;
  // Settings with which every validation measures all metrics of the task.
  std::vector<std::string> measure_all;
  bool has_tokenizer = true;
  // Settings that make the training random.
  std::vector<std::string> random = {"model.dropout=0.3"};
  // Whether training on batches in two chunks gives other bits than on whole batches. False if
  // every gradient is a sum over the examples in order.
  bool chunks_change_bits = true;
};

// An IDX file of two images of 4 x 4 pixels.
inline std::string two_images(char pixel) {
  return std::string("\0\0\x08\x03\0\0\0\2\0\0\0\4\0\0\0\4", 16) + std::string(31, 'x') + pixel;
}

inline const std::vector<TaskCase>& all_tasks() {
  static const std::vector<TaskCase> tasks = {
      {.name = "translation",
       .config = small,
       .metric_column = "bleu",
       .place = ", pairs ",
       .corpus_key = "tsv",
       .corpus_text = "a b c\tx y z\nb a\ty x\nc a\tz x\n",
       .other_text = "a b c\tx y z\nb a\ty x\nc a\tz z\n",
       .measure_all = {"training.validate_translate=greedy"}},
      {.name = "language-model",
       .config = small_language_model + small_training,
       .metric_column = "bits_per_byte",
       .place = ", document ",
       .corpus_key = "text",
       .corpus_text = "one line of text\nand another line\n",
       .other_text = "one line of text\nand another lane\n",
       .measure_all = {}},
      {.name = "masked-lm",
       .config = small_masked_lm + small_training,
       .metric_column = "mask_accuracy",
       .place = ", document ",
       .corpus_key = "text",
       .corpus_text = "one line of text\nand another line\n",
       .other_text = "one line of text\nand another lane\n",
       .measure_all = {}},
      {.name = "classification",
       .config = small_classification + small_training,
       .metric_column = "macro_f1",
       .place = ", example ",
       .corpus_key = "labelled",
       .corpus_text = "x\tan apple\ny\ta day\n",
       .other_text = "x\tan apple\nx\ta day\ny\ta day\n",
       .measure_all = {}},
      {.name = "tagging",
       .config = small_tagging + small_training,
       .metric_column = "f1",
       .place = ", word ",
       .corpus_key = "tagged",
       .corpus_text = "an B-x\napple O\n\na B-x\nday O\n",
       .other_text = "an B-x\napple O\n\na O\nday O\n",
       .measure_all = {}},
      {.name = "images",
       .config = small_images + small_training,
       .metric_column = "macro_f1",
       .place = ", image ",
       .corpus_key = "labels: " CALQUE_SOURCE_DIR "/tests/train/data/two-labels-idx1-ubyte, images",
       .corpus_text = two_images('a'),
       .other_text = two_images('b'),
       .measure_all = {},
       .has_tokenizer = false},
      {.name = "word2vec",
       .config = small_word2vec + small_training,
       .metric_column = "",
       .place = ", document ",
       .corpus_key = "text",
       .corpus_text = "one line of text\nand another line\n",
       .other_text = "one line of text\nand another lane\n",
       .measure_all = {},
       .random = {"data.subsample=0.01"},
       .chunks_change_bits = false},
  };
  return tasks;
}

// The runs of all_tasks(), and runs with other models of some tasks.
inline const std::vector<TaskCase>& all_models() {
  static const std::vector<TaskCase> models = [] {
    std::vector<TaskCase> list = all_tasks();
    TaskCase recurrent = *std::ranges::find(list, "translation", &TaskCase::name);
    recurrent.name = "translation-with-recurrent-networks";
    recurrent.config = small_recurrent + small_training;
    list.push_back(std::move(recurrent));
    TaskCase multilingual = *std::ranges::find(list, "translation", &TaskCase::name);
    multilingual.name = "translation-in-several-languages";
    multilingual.config = small_multilingual + small_training;
    multilingual.corpus_key = "languages: [a, b], directions: both, tsv";
    list.push_back(std::move(multilingual));
    TaskCase sparse = *std::ranges::find(list, "language-model", &TaskCase::name);
    sparse.name = "language-model-with-sparse-attention";
    sparse.config = small_sparse + small_training;
    list.push_back(std::move(sparse));
    TaskCase encoder = *std::ranges::find(list, "classification", &TaskCase::name);
    encoder.name = "classification-with-sparse-attention";
    encoder.config = small_sparse_classification + small_training;
    list.push_back(std::move(encoder));
    TaskCase experts = *std::ranges::find(list, "language-model", &TaskCase::name);
    experts.name = "language-model-with-experts";
    experts.config = small_experts + small_training;
    list.push_back(std::move(experts));
    return list;
  }();
  return models;
}

// The task of a test's own small runs.
inline TaskCase task_of(const std::string& config) {
  TaskCase task;
  task.config = config + small_training;
  return task;
}

inline Config config_of_task(const TaskCase& task, const std::vector<std::string>& settings = {}) {
  return parse_config(task.config, "small.yaml", settings, task_contradictions).config;
}

inline TrainResult run_task(const TaskCase& task, const TemporaryFolder& folder,
                            const std::vector<std::string>& settings = {},
                            const char* name = "run") {
  return train(config_of_task(task, settings), {folder.path(name)}, Loudness::quiet, make_task);
}

// The settings of a run whose training data is one file.
inline std::vector<std::string> on_a_file(const TaskCase& task, const std::string& path) {
  return {"data.train={" + task.corpus_key + ": " + path + "}", "data.validation=[]",
          "training.until=3u"};
}

using Settings = std::vector<std::string>;

inline Settings joined(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The records of kind `kind` in a run's metrics.jsonl.
inline std::vector<nlohmann::json> metrics_of(const TemporaryFolder& folder,
                                              const std::string& name, const char* kind) {
  std::vector<nlohmann::json> found;
  std::istringstream metrics(folder.read(name + "/metrics.jsonl"));
  for (std::string line; std::getline(metrics, line);) {
    nlohmann::json record = nlohmann::json::parse(line);
    if (record["kind"] == kind) found.push_back(std::move(record));
  }
  return found;
}

}  // namespace calque
