// The classifiers of a server, and their route /classify.
#include "core/threads/largest_first.h"
#include "serve/tasks/classifiers.h"
#include "train/tasks/classification/task.h"

namespace calque {

extern const std::string_view serve_classify_js;

namespace {

using nlohmann::json;

// Returns the classes, most probable first.
json ranked(const Labels& labels, const std::vector<double>& probabilities) {
  json classes = json::array();
  for (const size_t i : largest_first(probabilities)) {
    classes.push_back({{"label", labels[i]}, {"probability", probabilities[i]}});
  }
  return classes;
}

// {"text": TEXT or [TEXTS], "text_pair": the second texts of pairs} -> {"model": NAME, "classes":
// the classes of the text, or for a list of texts a list of these}.
void answer_classify(Service& service, const Fields& fields, const Answer& answer) {
  const ServedClassifier& served =
      chosen(classifiers_of(service.runs(), TaskKind::classification), fields, "classifier");
  std::vector<std::string> texts = fields.texts("text"), pairs;
  if (fields.has("text_pair")) pairs = fields.texts("text_pair");
  if (!pairs.empty() && pairs.size() != texts.size()) {
    refuse(400, "text_pair: has {} texts, but text has {}", pairs.size(), texts.size());
  }
  check_texts(service, texts);
  check_texts(service, pairs);
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < texts.size(); ++i) {
    rows.push_back({texts[i]});
    if (!pairs.empty()) rows.back().push_back(pairs[i]);
  }
  answer_classes(service, fields, answer, classes_of_texts, served, "classes", rows,
                 [&served](const auto&, const auto& probabilities) {
                   return ranked(served.run.labels, probabilities.front());
                 });
}

void open_classification(ServedRuns& runs, const RunPlace& place, const std::string& name) {
  open_classifier<TaskKind::classification>(runs, place, name);
  runs.embedders.push_back(
      {name, sentence_encoder(runs.classifiers[TaskKind::classification].back().run)});
}

constexpr KnownRoute classification_routes[] = {{"POST", "/classify", answer_classify}};

}  // namespace

extern const ServedTask served_classification;
const ServedTask served_classification = {
    .task = TaskKind::classification,
    .list = "classifiers",
    .open = open_classification,
    .describe =
        [](const ServedRuns& runs) {
          return described_classifiers(runs, TaskKind::classification, "classifier");
        },
    .routes = classification_routes,
    .scripts = {&serve_classify_js},
};

}  // namespace calque
