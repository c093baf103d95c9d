// The language models of a server.
#include "serve/served_task.h"

namespace calque {

extern const std::string_view serve_chat_js, serve_generate_js;

namespace {

void open_language_model(ServedRuns& runs, const RunPlace& place, const std::string& name) {
  ServedLanguageModel served{name, open_language_model_run(place), {}};
  // Explanations do so otherwise, while other threads generate.
  served.run.network->parameters.freeze_all();
  const TurnOptions& turns = served.run.config.data.turns;
  if (turns.format != TurnFormat::none) served.turns.emplace(served.run.tokenizer, turns);
  runs.embedders.push_back({name, sentence_encoder(served.run)});
  runs.language_models.push_back(std::move(served));
}

std::vector<DescribedRun> describe_language_models(const ServedRuns& runs) {
  std::vector<DescribedRun> all;
  for (const ServedLanguageModel& each : runs.language_models) {
    all.push_back({{{"name", each.name},
                    {"turns", each.turns.has_value()},
                    {"context", each.run.config.data.context}},
                   fmt::format("{}: language model", each.name)});
  }
  return all;
}

constexpr KnownRoute language_model_routes[] = {
    {"POST", "/v1/chat/completions", answer_chat_completions, Answer::Errors::object},
    {"POST", "/v1/completions", answer_completions, Answer::Errors::object},
};

}  // namespace

extern const ServedTask served_language_model;
const ServedTask served_language_model = {
    .task = TaskKind::language_model,
    .list = "language_models",
    .open = open_language_model,
    .describe = describe_language_models,
    .routes = language_model_routes,
    .scripts = {&serve_chat_js, &serve_generate_js},
};

}  // namespace calque
