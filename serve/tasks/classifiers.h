#pragma once
// What the tasks share whose model is a text encoder that names classes.

#include <string>
#include <utility>
#include <vector>

#include "serve/served_task.h"
#include "train/tasks/classes/text_data.h"

namespace calque {

template <TaskKind task>
void open_classifier(ServedRuns& runs, const RunPlace& place, const std::string& name) {
  runs.classifiers[task].push_back({name, open_text_classifier(task, place)});
}

inline const std::vector<ServedClassifier>& classifiers_of(const ServedRuns& runs, TaskKind task) {
  static const std::vector<ServedClassifier> none;
  const auto found = runs.classifiers.find(task);
  return found == runs.classifiers.end() ? none : found->second;
}

// `kind` is the word for such a run, such as "classifier".
inline std::vector<DescribedRun> described_classifiers(const ServedRuns& runs, TaskKind task,
                                                       const char* kind) {
  std::vector<DescribedRun> all;
  for (const ServedClassifier& each : classifiers_of(runs, task)) {
    const Labels& labels = each.run.labels;
    all.push_back({{{"name", each.name}, {"labels", labels}},
                   fmt::format("{}: {} of {} classes", each.name, kind, labels.size())});
  }
  return all;
}

// Throws an HttpError if the texts are too many or too long.
inline void check_texts(const Service& service, const std::vector<std::string>& texts) {
  service.check_characters(texts);
  if (std::ssize(texts) <= service.options().sentences) return;
  refuse(400, "{} texts; a request may have at most {}", texts.size(), service.options().sentences);
}

// Enqueues the rows and answers {"model": NAME, KEY: description(texts, probabilities) of the row,
// or a list of these if the field `text` is one}.
template <class Describe>
void answer_classes(Service& service, const Fields& fields, const Answer& answer,
                    const TextClasses& classes, const ServedClassifier& served, const char* key,
                    std::vector<std::vector<std::string>> rows, Describe description) {
  EncodedTexts encoded;
  for (const std::vector<std::string>& texts : rows) {
    encoded.add(classes, texts, served.run.tokenizer, served.run.config.data.context);
  }
  QueuedWork work;
  work.cost = 1 + encoded.tokens;
  work.compute = [=, list = fields.is_list("text"), &classes, &served] {
    const auto probabilities = class_probabilities(classes, served.run.model(), encoded);
    nlohmann::json results = nlohmann::json::array();
    for (size_t i = 0; i < rows.size(); ++i) {
      results.push_back(description(rows[i], probabilities[i]));
    }
    answer.json({{"model", served.name}, {key, list ? results : results[0]}});
  };
  service.enqueue(std::move(work), answer);
}

}  // namespace calque
