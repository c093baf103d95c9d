// /v1/chat/completions over a small trained run.
#include "train/tasks/language_model/chat.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "decode/score.h"
#include "serve/kept_reply.h"
#include "serve/service.h"
#include "train/tasks/fixture.h"

namespace calque {
namespace {

using nlohmann::json;

// A language model with a turn format, and one without.
struct ChatRuns {
  TemporaryFolder folder;
  ChatRuns() {
    const TaskCase& task = *std::ranges::find(all_tasks(), "language-model", &TaskCase::name);
    run_task(task, folder, {"data.context=128", "data.turns={format: chatml}"}, "chat");
    run_task(task, folder, {"training.until=1u"}, "plain");
  }
};

const ChatRuns& chat_runs() {
  static const ChatRuns runs;
  return runs;
}

struct ChatService {
  Service service;

  ChatService() : service(open_served_runs(runs()), {}) {}

  static std::vector<RunPlace> runs() {
    return places({chat_runs().folder.path("chat"), chat_runs().folder.path("plain")}, {});
  }
  HttpResponse post(const json& body) {
    return answer_of(service, {.method = "POST",
                               .path = "/v1/chat/completions",
                               .content_type = "application/json",
                               .body = body.dump()});
  }
  json answer(const json& body) { return accepted_json(post(body)); }
  std::string refused(const json& body) { return refusal_of(post(body)); }
};

json user(const std::string& text) { return {{"role", "user"}, {"content", text}}; }

}  // namespace

TEST_CASE("an answer with a seed is the same, streamed or not, and is that of calque chat") {
  ChatService served;
  const json request = {
      {"messages", {user("the king")}}, {"max_tokens", 12}, {"seed", 7}, {"n", 2}};
  const json whole = served.answer(request);
  REQUIRE(whole["choices"].size() == 2);
  CHECK(whole["object"] == "chat.completion");
  CHECK(whole["choices"][1]["message"]["role"] == "assistant");
  json streamed = request;
  streamed["stream"] = true;
  streamed["stream_options"] = {{"include_usage", true}};
  const std::string events = served.post(streamed).body;
  CHECK(events.ends_with("data: [DONE]\n\n"));
  std::vector<std::string> texts(2), reasons(2);
  json usage;
  for (size_t at = 0; events.compare(at, 12, "data: [DONE]") != 0;) {
    const size_t end = events.find("\n\n", at);
    const json event = json::parse(events.substr(at + 6, end - at - 6));
    CHECK(event["object"] == "chat.completion.chunk");
    if (event["choices"].empty()) {
      usage = event["usage"];
    } else {
      const json& choice = event["choices"][0];
      const auto index = choice["index"].get<size_t>();
      texts[index] += choice["delta"].value("content", "");
      if (!choice["finish_reason"].is_null()) reasons[index] = choice["finish_reason"];
    }
    at = end + 2;
  }
  for (size_t i = 0; i < 2; ++i) {
    CHECK(json(texts[i]) == whole["choices"][i]["message"]["content"]);
    CHECK(json(reasons[i]) == whole["choices"][i]["finish_reason"]);
  }
  CHECK(usage == whole["usage"]);

  const LanguageModelRun run = open_language_model_run(chat_runs().folder.path("chat"));
  GenerationOptions options;
  options.sampling.seed = 7;
  options.max_tokens = 12;
  options.context = 128;
  std::string text;
  Chat(run, turns_of_run(run), options).answer("the king", [&](const std::string& part) {
    text += part;
  });
  json one = request;
  one["n"] = 1;
  CHECK(served.answer(one)["choices"][0]["message"]["content"] == text);
}

TEST_CASE("the log-probabilities of an answer are those of the model") {
  ChatService served;
  const json answer = served.answer({{"messages", {user("the ")}},
                                     {"max_completion_tokens", 5},
                                     {"seed", 1},
                                     {"logprobs", true},
                                     {"top_logprobs", 2}});
  const json& tokens = answer["choices"][0]["logprobs"]["content"];
  REQUIRE(tokens.size() == answer["usage"]["completion_tokens"].get<size_t>());
  const LanguageModelRun run = open_language_model_run(chat_runs().folder.path("chat"));
  std::vector<int32_t> ids = turns_of_run(run).encode({{Speaker::user, "the "}}, true).ids;
  const size_t prompt = ids.size();
  run.tokenizer.encode_document(answer["choices"][0]["message"]["content"].get<std::string>(), ids);
  const auto expected = token_log_probabilities(run.model(), {ids}).front();
  for (size_t i = 0; i < tokens.size(); ++i) {
    CHECK(tokens[i]["logprob"].get<double>() ==
          doctest::Approx(double(expected[prompt - 1 + i])).epsilon(1e-4));
    CHECK(tokens[i]["top_logprobs"].size() == 2);
  }
}

TEST_CASE("the last event of a stream has the log-probabilities of the answer's tokens") {
  ChatService served;
  const json request = {{"messages", {user("the ")}},
                        {"max_tokens", 6},
                        {"seed", 2},
                        {"logprobs", true},
                        {"top_logprobs", 3}};
  const json whole = served.answer(request)["choices"][0];
  json streamed = request;
  streamed["stream"] = true;
  const std::string events = served.post(streamed).body;
  const size_t last = events.rfind("\ndata: {");
  const json event = json::parse(events.substr(last + 7, events.find("\n\n", last + 1) - last - 7));
  CHECK(event["choices"][0]["logprobs"] == whole["logprobs"]);
  std::string bytes;
  for (const json& token : whole["logprobs"]["content"]) {
    for (const json& byte : token["bytes"]) bytes.push_back(static_cast<char>(byte.get<int>()));
  }
  CHECK(json(bytes) == whole["message"]["content"]);
}

TEST_CASE("a text may be a list of parts, and a stop text ends an answer") {
  ChatService served;
  const json parts = {{{"type", "text"}, {"text", "the "}}, {{"type", "text"}, {"text", "king"}}};
  const json a = served.answer(
      {{"messages", {{{"role", "user"}, {"content", parts}}}}, {"max_tokens", 12}, {"seed", 3}});
  const json b = served.answer({{"messages", {user("the king")}}, {"max_tokens", 12}, {"seed", 3}});
  CHECK(a["choices"] == b["choices"]);
  const auto text = b["choices"][0]["message"]["content"].get<std::string>();
  REQUIRE(text.size() > 2);
  const json cut = served.answer({{"messages", {user("the king")}},
                                  {"max_tokens", 12},
                                  {"seed", 3},
                                  {"stop", text.substr(2, 1)}});
  const auto shorter = cut["choices"][0]["message"]["content"].get<std::string>();
  CHECK(shorter == text.substr(0, text.find(text[2])));
  CHECK(cut["choices"][0]["finish_reason"] == "stop");
}

TEST_CASE("what a chat does not have is refused by name") {
  ChatService served;
  CHECK(served.refused({{"messages", {user("a")}}, {"model", "plain"}}) ==
        "400 the model plain has no turn format; it was not trained on conversations");
  CHECK(served.refused({{"messages", {user("a")}}, {"model", "x"}}) ==
        "404 the model x does not exist");
  CHECK(served.refused({{"messages", {user("a")}}, {"tools", {{{"type", "function"}}}}}) ==
        "400 tools: tools are not supported");
  CHECK(served.refused({{"messages", "a"}}) == "400 messages: must be a list");
  CHECK(served.refused(json::object()) == "400 messages: is missing");
  CHECK(served.refused({{"messages", {{{"role", "tool"}, {"content", "a"}}}}}) ==
        "400 messages[0].role: tools are not supported");
  CHECK(served.refused({{"messages", {{{"role", "user"}, {"content", 7}}}}}) ==
        "400 messages[0].content: must be a text");
  CHECK(served.refused({{"messages", {user("a"), user("b")}}})
            .starts_with("400 messages: the roles must be user and assistant in turn"));
  CHECK(served.refused({{"messages", {user(std::string(500, 'a'))}}})
            .starts_with("400 messages: the text has "));
}

}  // namespace calque
