// The taggers of a server, and their route /tag.
#include "data/corpora/tagged.h"
#include "serve/tasks/classifiers.h"
#include "train/metrics/spans.h"
#include "train/tasks/tagging/task.h"

namespace calque {

extern const std::string_view serve_tag_js;

namespace {

using nlohmann::json;

// The words with their tags and probabilities, and the spans that the tags mark. If tags mark no
// spans, each word is one.
json described(const Labels& labels, const std::vector<std::string>& sentence,
               const std::vector<std::vector<double>>& probabilities) {
  json words = json::array(), spans = json::array();
  std::vector<std::string> tags;
  for (size_t i = 0; i < sentence.size(); ++i) {
    const auto best = std::ranges::max_element(probabilities[i]);
    const std::string& tag = labels[static_cast<size_t>(best - probabilities[i].begin())];
    words.push_back({{"word", sentence[i]}, {"tag", tag}, {"probability", *best}});
    tags.push_back(mark_spans(labels) ? tag : "S-" + tag);
  }
  for (const auto& [type, begin, end] : spans_of(tags)) {
    spans.push_back({{"label", type}, {"begin", begin}, {"end", end}});
  }
  return {{"words", words}, {"spans", spans}};
}

// {"text": TEXT or [TEXTS]} -> {"model": NAME, "tags": those of the text, or for a list of texts a
// list of these}. White space separates words; each text is one sentence.
void answer_tag(Service& service, const Fields& fields, const Answer& answer) {
  const ServedClassifier& served =
      chosen(classifiers_of(service.runs(), TaskKind::tagging), fields, "tagger");
  const std::vector<std::string> texts = fields.texts("text");
  check_texts(service, texts);
  std::vector<std::vector<std::string>> sentences;
  for (const std::string& text : texts) sentences.push_back(words_of(text));
  answer_classes(service, fields, answer, classes_of_words, served, "tags", sentences,
                 [&served](const auto& words, const auto& probabilities) {
                   return described(served.run.labels, words, probabilities);
                 });
}

constexpr KnownRoute tagging_routes[] = {{"POST", "/tag", answer_tag}};

}  // namespace

extern const ServedTask served_tagging;
const ServedTask served_tagging = {
    .task = TaskKind::tagging,
    .list = "taggers",
    .open = open_classifier<TaskKind::tagging>,
    .describe =
        [](const ServedRuns& runs) {
          return described_classifiers(runs, TaskKind::tagging, "tagger");
        },
    .routes = tagging_routes,
    .scripts = {&serve_tag_js},
};

}  // namespace calque
