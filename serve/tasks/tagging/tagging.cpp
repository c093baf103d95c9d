// The taggers of a server, and their route /tag.
#include "serve/tasks/classifiers.h"
#include "train/tasks/tagging/evaluation.h"

namespace calque {

extern const std::string_view serve_tag_js;

namespace {

using nlohmann::json;

std::vector<DescribedRun> describe_taggers(const ServedRuns& runs) {
  return described_classifiers(runs, TaskKind::tagging, "tagger");
}

// The words with their tags and probabilities, and the spans that the tags mark. If tags mark no
// spans, each word is one.
json described(const std::vector<TaggedWord>& sentence, bool marks) {
  json words = json::array(), spans = json::array();
  std::vector<std::string> tags;
  for (const auto& [word, tag, probability] : sentence) {
    words.push_back({{"word", word}, {"tag", tag}, {"probability", probability}});
    tags.push_back(marks ? tag : "S-" + tag);
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
  const bool list = fields.is_list("text");
  QueuedWork work;
  work.cost = 1;
  std::vector<std::vector<std::string>> sentences;
  for (const std::string& text : texts) {
    sentences.push_back(words_of(text));
    work.cost += std::ssize(sentences.back());
  }
  work.compute = [&served, list, sentences, answer] {
    json results = json::array();
    for (const auto& each : tag_sentences(served.run, sentences)) {
      results.push_back(described(each, mark_spans(served.run.labels)));
    }
    answer.json({{"model", served.name}, {"tags", list ? results : results[0]}});
  };
  service.enqueue(std::move(work), answer);
}

constexpr KnownRoute tagging_routes[] = {{"POST", "/tag", answer_tag}};

}  // namespace

extern const ServedTask served_tagging;
const ServedTask served_tagging = {
    .task = TaskKind::tagging,
    .list = "taggers",
    .open = open_classifier<TaskKind::tagging>,
    .describe = describe_taggers,
    .routes = tagging_routes,
    .script = serve_tag_js,
};

}  // namespace calque
