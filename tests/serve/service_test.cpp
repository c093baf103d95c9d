// The routes over small trained runs, without a network.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>

#include "decode/score.h"
#include "serve/trained_service.h"
#include "support/message_of.h"
#include "train/metrics/spans.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

using nlohmann::json;

TEST_CASE("invalid requests are refused with a status and a reason") {
  TestService served({.characters = 100, .sentences = 4, .explained_tokens = 5});
  const auto translate = [&](const json& body) { return served.refused("/translate", body); };
  CHECK(translate({{"target", "tgt"}}) == "400 missing q parameter");
  CHECK(translate({{"q", "a"}}) == "400 missing target parameter");
  CHECK(translate({{"q", "a"}, {"target", "fr"}}) == "400 fr is not supported, but src to tgt");
  CHECK(translate({{"q", "a"}, {"source", "fr"}, {"target", "tgt"}}) ==
        "400 fr to tgt is not supported, but src to tgt");
  CHECK(translate({{"q", std::string(101, 'a')}, {"target", "tgt"}}) ==
        "400 101 characters; a request may have at most 100");
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "\u00e4";  // 200 bytes
  CHECK(served.post("/translate", {{"q", wide}, {"target", "tgt"}}).status == 200);
  CHECK(translate({{"q", "a\nb\nc\nd\ne\n\n"}, {"target", "tgt"}}) ==
        "400 5 sentences; a request may have at most 4");
  CHECK(translate({{"q", "a"}, {"target", "tgt"}, {"alternatives", 1000}}) ==
        "400 alternatives: is 1000; it must be 0 to 10");
  CHECK(translate({{"q", "a"}, {"target", "tgt"}, {"format", "pdf"}}) ==
        "400 format: must be text or html");
  CHECK(served.refused("/nowhere", {}) == "404 there is no such route");
  const json nowhere = json::parse(served.get("/nowhere").body);
  CHECK(nowhere["error"] == "there is no such route");
  for (const HttpResponse& unknown :
       {served.post("/v1/images", json::object()), served.get("/v1/nothing"), served.get("/v1")}) {
    CHECK(unknown.status == 404);
    const json error = json::parse(unknown.body)["error"];
    CHECK(error["message"] == "there is no such route");
    CHECK(error["type"] == "invalid_request_error");
    CHECK(error.contains("code"));
  }
  const HttpResponse wrong = served.get("/classify");
  CHECK(wrong.status == 405);
  CHECK(std::ranges::count(wrong.headers, std::pair<std::string, std::string>("Allow", "POST")) ==
        1);
  CHECK(served.answer({.method = "HEAD", .path = "/v1/completions"}).status == 405);
  CHECK(served.answer({.method = "HEAD", .path = "/languages"}).status == 200);
  CHECK(served.answer({.method = "POST", .path = "/health"}).status == 405);
  CHECK(served.refused("/v1/completions", {{"model", "x"}}) == "404 the model x does not exist");
  CHECK(served.refused("/v1/completions", {{"stop", std::vector<std::string>(17, "a")}}) ==
        "400 stop: has 17 texts; at most 16 are allowed");
  CHECK(served.refused("/v1/completions", {{"best_of", 3}}) ==
        "400 best_of: is 3; it must be 1 to 1");
  CHECK(served.refused("/explain", {{"text", "a a a a a a"}}) ==
        "400 text: has 6 tokens; at most 5 are explained");
  CHECK(served.refused("/v1/completions", {{"max_tokens", 0}}) ==
        "400 max_tokens: is 0; it must be 1 to 2048");
}

TEST_CASE("languages, models, settings, health and metrics are reported") {
  TestService served;
  const json languages = json::parse(served.get("/languages").body);
  REQUIRE(languages.size() == 2);  // clients look up both codes
  CHECK(languages[0]["code"] == "src");
  CHECK(languages[0]["targets"] == json{"tgt"});
  CHECK(languages[1]["code"] == "tgt");
  const json models = json::parse(served.get("/v1/models").body)["data"];
  CHECK(models[0]["id"] == "language-model");
  CHECK(json::parse(served.get("/v1/models/language-model").body) == models[0]);
  CHECK(served.get("/v1/models/none").status == 404);
  CHECK(served.get("/v1/models/").status == 404);
  CHECK(json::parse(served.get("/frontend/settings").body)["keyRequired"] == false);
  CHECK(json::parse(served.get("/health").body)["status"] == "ok");
  served.service.attach({.stopping = [] { return true; }});
  CHECK(served.get("/health").status == 503);
  CHECK(served.refused("/translate", {{"q", "a"}, {"target", "tgt"}}).starts_with("503 "));
  const std::string metrics = served.get("/metrics").body;
  CHECK(metrics.find("calque_http_requests_total{route=\"/languages\",status=\"200\"} 1\n") !=
        std::string::npos);
  CHECK(metrics.find("calque_http_requests_total{route=\"/translate\",status=\"503\"} 1\n") !=
        std::string::npos);
}

TEST_CASE("completions with the same seed are the same, streamed or not") {
  TestService served;
  const json request = {
      {"prompt", "the "}, {"max_tokens", 12}, {"seed", 7}, {"n", 2}, {"logprobs", 1}};
  const json whole = served.posted("/v1/completions", request);
  REQUIRE(whole["choices"].size() == 2);
  CHECK(whole == [&] {
    json again = served.posted("/v1/completions", request);
    again["id"] = whole["id"];
    again["created"] = whole["created"];
    return again;
  }());
  CHECK(whole["usage"]["completion_tokens"].get<int>() <= 24);
  json streamed = request;
  streamed["stream"] = true;
  streamed["stream_options"] = {{"include_usage", "no boolean"}};
  const std::string events = served.post("/v1/completions", streamed).body;
  CHECK(events.ends_with("data: [DONE]\n\n"));
  std::vector<std::string> texts(2);
  for (size_t at = 0; events.compare(at, 12, "data: [DONE]") != 0;) {
    const size_t end = events.find("\n\n", at);
    const json choice = json::parse(events.substr(at + 6, end - at - 6))["choices"][0];
    const auto index = choice["index"].get<size_t>();
    texts[index] += choice["text"].get<std::string>();
    const bool is_last = !choice["finish_reason"].is_null();
    CHECK(choice["logprobs"] == (is_last ? whole["choices"][index]["logprobs"] : json()));
    at = end + 2;
  }
  for (size_t i = 0; i < 2; ++i) CHECK(json(texts[i]) == whole["choices"][i]["text"]);
}

TEST_CASE("a completion ends when its client disconnects") {
  struct LeavingReply : KeptReply {
    mutable std::atomic<int> asked = 0;
    bool cancelled() const override { return ++asked > 3; }
  };
  const auto reply = std::make_shared<LeavingReply>();
  {
    TestService served;
    const json body = {{"prompt", "the "}, {"max_tokens", 2000}, {"seed", 1}};
    served.service.handle({.method = "POST", .path = "/v1/completions", .body = body.dump()},
                          reply);
  }
  CHECK(reply->asked == 4);
  CHECK(reply->answer.get_future().wait_for(std::chrono::seconds(0)) ==
        std::future_status::timeout);
}

TEST_CASE("log-probabilities of a completion are those of the model") {
  TestService served;
  const json answer = served.posted(
      "/v1/completions",
      {{"prompt", "the "}, {"max_tokens", 5}, {"seed", 1}, {"logprobs", 2}, {"echo", true}});
  const json& logs = answer["choices"][0]["logprobs"];
  REQUIRE(logs["tokens"].size() == logs["token_logprobs"].size());
  REQUIRE(logs["tokens"].size() > 0);
  const LanguageModelRun run = open_language_model_run(trained().places()[1]);
  std::vector<int32_t> text = {begin_id};
  run.tokenizer.encode_document(answer["choices"][0]["text"].get<std::string>(), text);
  const auto expected = token_log_probabilities(run.model(), {text}).front();
  const size_t prompt = 4;  // characters
  std::string tokens = "the ";
  for (const json& token : logs["tokens"]) tokens += token.get<std::string>();
  CHECK(json(tokens) == answer["choices"][0]["text"]);
  for (size_t i = 0; i < logs["tokens"].size(); ++i) {
    CHECK(logs["token_logprobs"][i].get<double>() ==
          doctest::Approx(double(expected[prompt + i])).epsilon(1e-4));
    CHECK(logs["top_logprobs"][i].size() == 2);
    CHECK(logs["text_offset"][i] == prompt + i);
  }
}

TEST_CASE("words are tagged, with the spans that the tags mark") {
  TestService served;
  const json tags = served.posted("/tag", {{"text", {"the dog  der Hund", " "}}})["tags"];
  REQUIRE(tags.size() == 2);
  REQUIRE(tags[0]["words"].size() == 4);
  CHECK(tags[0]["words"][3]["word"] == "Hund");
  std::vector<std::string> names;
  for (const json& word : tags[0]["words"]) {
    names.push_back(word["tag"].get<std::string>());
    CHECK(word["probability"].get<double>() >= 0.25);
    CHECK(word["probability"].get<double>() <= 1);
  }
  const auto spans = spans_of(names);
  REQUIRE(tags[0]["spans"].size() == spans.size());
  for (size_t i = 0; i < spans.size(); ++i) {
    CHECK(tags[0]["spans"][i] ==
          json{{"label", spans[i].type}, {"begin", spans[i].begin}, {"end", spans[i].end}});
  }
  CHECK(tags[1] == json{{"words", json::array()}, {"spans", json::array()}});
  CHECK(served.posted("/tag", {{"text", "the dog  der Hund"}})["tags"] == tags[0]);
  CHECK(json::parse(served.get("/runs").body)["taggers"][0]["name"] == "tagging");
  CHECK(served.refused("/tag", {{"text", "a"}, {"model", "other"}}) ==
        "404 no tagger is named other");
}

TEST_CASE("texts are classified, scored and explained") {
  TestService served;
  const json classes = served.posted("/classify", {{"text", {"the dog", "der Hund"}}})["classes"];
  REQUIRE(classes.size() == 2);
  double sum = 0;
  for (const json& each : classes[0]) sum += each["probability"].get<double>();
  CHECK(sum == doctest::Approx(1));
  const json score = served.posted("/score", {{"source", "a b"}, {"target", "b a"}})["scores"];
  CHECK(score["tokens"] == 3);
  CHECK(score["log_probability"].get<double>() < 0);
  CHECK(served.posted("/explain", {{"text", "a b"}})["source"] == "a b");
  CHECK(
      served.posted("/explain", {{"text", "the"}, {"model", "language-model"}}).contains("steps"));
  CHECK(served.post("/explain", {{"text", "a"}, {"format", "page"}}).content_type ==
        "text/html; charset=utf-8");
  CHECK(served.refused("/explain", {{"text", ""}}).starts_with("400 there is nothing to explain"));
}

TEST_CASE("a language model is inspected, and its changed output is shown beside its own") {
  TestService served;
  const auto explained = [&](json fields) {
    fields["text"] = "the";
    fields["model"] = "language-model";
    return served.posted("/explain", fields);
  };
  CHECK(!explained({}).contains("inspection"));
  CHECK(explained({{"inspect", true}})["inspection"]["edited"].is_null());
  const json edited =
      explained({{"without_heads", "1.1, 1.2"}, {"steer", {"the:1:2"}}})["inspection"]["edited"];
  CHECK(edited["edits"] == json{"without head 1.1", "without head 1.2",
                                "steered along 'the' after layer 1, strength 2"});
  CHECK(!edited["next"].empty());
  CHECK(!explained({{"against", "toe"}})["inspection"]["patching"].is_null());
  const auto refused = [&](json fields) {
    fields["text"] = "the";
    fields["model"] = "language-model";
    return served.refused("/explain", fields);
  };
  CHECK(refused({{"without_heads", {"1.1", "2"}}}) ==
        "400 without_heads: '2' is no LAYER.HEAD, such as 2.3 for head 3 of layer 2");
  CHECK(refused({{"without_heads", "9.1"}}).starts_with("400 there is no head 9.1"));
  CHECK(refused({{"steer", "the"}}) ==
        "400 steer: 'the' is no WORD:LAYER:STRENGTH, such as sea:2:0.5");
  CHECK(refused({{"steer", 3}}).starts_with("400 steer: must be a text"));
}

TEST_CASE("a server with keys refuses requests without a valid key") {
  TestService served({.keys = {"secret"}});
  const json request = {{"q", "a"}, {"target", "tgt"}};
  CHECK(served.post("/translate", request).status == 401);
  CHECK(served.post("/translate", request, "Bearer wrong").status == 403);
  CHECK(served.post("/translate", request, "Bearer secret").status == 200);
  json with_key = request;
  with_key["api_key"] = "secret";
  CHECK(served.post("/translate", with_key).status == 200);
  CHECK(served.get("/health").status == 200);
}

TEST_CASE("a run of a task that is not served is refused with the tasks that are") {
  const TemporaryFolder folder;
  const TaskCase& words = *std::ranges::find(all_tasks(), "word2vec", &TaskCase::name);
  std::ofstream(folder.path("config.yaml")) << words.config;
  const std::string run = folder.path("");
  CHECK(
      message_of([&] { open_served_runs({run}); }) ==
      "calque serve needs a run of task: translation, language-model, masked-lm, classification or "
      "tagging; " +
          run + " is of task: word2vec");
}

TEST_CASE("two runs of the same name, and a folder that is not a run, are refused") {
  const std::string place = trained().places()[0];
  CHECK(message_of([&] {
          open_served_runs({place, place});
        }) == place + ": two runs are named translation");
  CHECK(message_of([] { open_served_runs({"/nowhere"}); }).starts_with("/nowhere"));
}

}  // namespace
}  // namespace calque
