// The routes over small trained runs, without a network.
#include "serve/service.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <set>

#include "data/corpora/corpus.h"
#include "decode/score.h"
#include "serve/kept_reply.h"
#include "support/message_of.h"
#include "train/metrics/spans.h"
#include "train/tasks/fixture.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/text_search.h"

namespace calque {
namespace {

using nlohmann::json;

// Runs of four tasks, trained once.
struct TrainedRuns {
  TemporaryFolder folder;
  TrainedRuns() {
    for (const char* name : {"translation", "language-model", "classification", "tagging"}) {
      run_task(*std::ranges::find(all_tasks(), name, &TaskCase::name), folder, {}, name);
    }
  }
  std::vector<std::string> places() const {
    return {folder.path("translation"), folder.path("language-model"),
            folder.path("classification"), folder.path("tagging")};
  }
};

const TrainedRuns& trained() {
  static const TrainedRuns runs;
  return runs;
}

struct TestService {
  Service service;

  explicit TestService(const ServiceOptions& options = {})
      : TestService(open_served_runs(places(trained().places(), {})), options) {}
  TestService(ServedRuns runs, const ServiceOptions& options) : service(std::move(runs), options) {}

  HttpResponse answer(const HttpRequest& request) { return answer_of(service, request); }
  HttpResponse get(const std::string& path, const std::string& query = "") {
    return answer({.method = "GET", .path = path, .query = query});
  }
  HttpResponse post(const std::string& path, const json& body, const std::string& key = "") {
    return answer({.method = "POST",
                   .path = path,
                   .content_type = "application/json",
                   .authorization = key,
                   .body = body.dump()});
  }
  json posted(const std::string& path, const json& body) { return accepted_json(post(path, body)); }
  // Returns "400 why" for a request that is refused.
  std::string refused(const std::string& path, const json& body) {
    return refusal_of(post(path, body));
  }
};

TEST_CASE("translate returns the translations of the run for a list, one text and paragraphs") {
  TestService served;
  const TranslationRun run = open_translation_run(trained().places()[0]);
  const std::vector<std::string> texts = {"a b c", "", "b", "c a b a", "a"};
  const Translator models[] = {run.model()};
  const auto lines =
      translate_texts(models, run.tokenizers, texts, translation_options(run.config.decoding));
  const json answer =
      served.posted("/translate", {{"q", texts}, {"source", "src"}, {"target", "tgt"}});
  CHECK(answer == json{{"translatedText", lines}});
  for (size_t i = 0; i < texts.size(); ++i) {
    const json one = served.posted("/translate", {{"q", texts[i]}, {"target", "tgt"}});
    CHECK(one["translatedText"] == lines[i]);
    CHECK(one["detectedLanguage"] == json{{"confidence", 100}, {"language", "src"}});
  }
  const json paragraphs =
      served.posted("/translate", {{"q", "a b c\r\n\nb"}, {"source", "src"}, {"target", "tgt"}});
  CHECK(paragraphs["translatedText"] == lines[0] + "\r\n\n" + lines[2]);
}

TEST_CASE("the sentences of a line are translated by themselves unless split_sentences is false") {
  TestService served;
  const auto translated = [&](const json& q, bool split = true) {
    return served.posted("/translate", {{"q", q}, {"target", "tgt"}, {"split_sentences", split}})
        .at("translatedText");
  };
  const std::string text = "  a b c!  c b?\u00a0 a ";
  const json alone = translated({"a b c!", "c b?", "a"});
  const auto part = [&](size_t i) { return alone[i].get<std::string>(); };
  CHECK(translated(text) == "  " + part(0) + "  " + part(1) + "\u00a0 " + part(2) + " ");
  CHECK(translated(text, false) == translated("a b c! c b? a", false));
  CHECK(served.posted("/translate", {{"q", text}, {"target", "tgt"}})["translatedText"] ==
        translated(text));
}

TEST_CASE("a glossary of a request, or of the server, decides the terms of a translation") {
  TestService served;
  const auto request = [](const json& glossary) {
    return json{{"q", "a b"}, {"target", "tgt"}, {"glossary", glossary}};
  };
  const auto translated = [&](const json& glossary) {
    return served.posted("/translate", request(glossary)).at("translatedText").get<std::string>();
  };
  const std::string plain = translated(json::object());
  CHECK(translated({{"b", "q r"}}).find("q r") != std::string::npos);
  CHECK(translated({{"b", {"q r", "x y"}}}) != plain);
  CHECK(translated({{"z", "q r"}}) == plain);
  CHECK_FALSE(served.posted("/translate", request({{"b", "q r"}})).contains("warnings"));
  CHECK(served.posted("/translate", request({{"b", "%"}})).at("warnings") ==
        json{"glossary: the vocabulary cannot write 1 of 1 terms, which are not required: the "
             "first is %"});
  const auto refusal = [&](const json& glossary) {
    return served.refused("/translate", request(glossary));
  };
  CHECK(refusal("b") == "400 glossary: must be an object of terms and translations");
  CHECK(refusal({{"b", 3}}) == "400 glossary: 'b' needs a text or a list of texts");
  CHECK(refusal({{"b", json::array()}}) == "400 glossary: 'b' has no translation");
  CHECK(refusal({{"", "x"}}) == "400 glossary: '': a term is empty; write a term");
  CHECK(refusal({{"b", "a\tb"}}) == "400 glossary: 'b': a term has a control character (U+0009)");

  const TemporaryFolder folder;
  const std::string file = folder.write("terms.tsv", "b\tq r\n");
  ServedRuns runs = open_served_runs(places(trained().places(), {}));
  set_glossary(runs, file);
  CHECK(message_of([&] { set_glossary(runs, "x=" + file); }) ==
        "--glossary x=" + file + ": no translator has this name");
  TestService with_terms(std::move(runs), {});
  CHECK(with_terms.posted("/translate", {{"q", "a b"}, {"target", "tgt"}})["translatedText"]
            .get<std::string>()
            .find("q r") != std::string::npos);
  CHECK(with_terms.posted("/translate", request(json::object()))["translatedText"] == plain);
}

TEST_CASE("the sentences of a text are the context of later ones, up to a blank line") {
  const TemporaryFolder folder;
  run_task(*std::ranges::find(all_tasks(), "translation", &TaskCase::name), folder,
           {"data.preceding_sentences=1"}, "context");
  const TranslationRun run = open_translation_run(folder.path("context"));
  TextSearch search = text_search(run.config.decoding);
  limit_sources(run, search);
  const Translator models[] = {run.model()};
  const std::vector<std::string> texts = {"a b", "a b <sep> b c", "c d", "d a"};
  const auto expected = translate_texts(models, run.tokenizers, texts, search);
  TestService served(open_served_runs(places({folder.path("context")}, {})), {});
  const json answer =
      served.posted("/translate", {{"q", {"a b\nb c\n\nc d", "d a"}}, {"target", "tgt"}});
  CHECK(answer["translatedText"] ==
        json{expected[0] + "\n" + expected[1] + "\n\n" + expected[2], expected[3]});
}

TEST_CASE("addresses of web pages and e-mail are in the translation as they are") {
  TestService served;
  const json answer = served.posted(
      "/translate",
      {{"q", "a https://x.org/a b, c@d.org!"}, {"target", "tgt"}, {"alternatives", 2}});
  json texts = answer["alternatives"];
  texts.push_back(answer["translatedText"]);
  for (const json& text : texts) {
    CAPTURE(text);
    CHECK(text.get<std::string>().find("https://x.org/a") != std::string::npos);
    CHECK(text.get<std::string>().find("c@d.org") != std::string::npos);
  }
}

TEST_CASE("translate warns of a sentence that is longer than any training sentence") {
  TestService served;
  std::string text = "a b\n";
  for (int i = 0; i < 300; ++i) text += "a ";
  const json answer = served.posted("/translate", {{"q", text}, {"target", "tgt"}});
  REQUIRE(answer["warnings"].size() == 1);
  CHECK(answer["warnings"][0].get<std::string>().starts_with(
      "sentence 2: 300 tokens, more than the 6 of any training sentence"));
  CHECK_FALSE(served.posted("/translate", {{"q", "a"}, {"target", "tgt"}}).contains("warnings"));
}

TEST_CASE("alternatives differ from the translation, and are returned only on request") {
  TestService served;
  const json one =
      served.posted("/translate", {{"q", "a b"}, {"target", "tgt"}, {"alternatives", 3}});
  CHECK(one["alternatives"].is_array());
  CHECK(one["alternatives"].size() <= 3);
  for (const json& each : one["alternatives"]) CHECK(each != one["translatedText"]);
  const json two =
      served.posted("/translate", {{"q", {"a", "b"}}, {"target", "tgt"}, {"alternatives", 1}});
  CHECK(two["alternatives"].size() == 2);
  CHECK_FALSE(
      served.posted("/translate", {{"q", "a"}, {"target", "tgt"}}).contains("alternatives"));
}

TEST_CASE("HTML tags are kept, and a sentence with tags is translated as one") {
  TestService served;
  const auto translated = [&](const std::string& q) {
    return served.posted("/translate", {{"q", q}, {"target", "tgt"}, {"format", "html"}})
        .at("translatedText")
        .get<std::string>();
  };
  const json plain = served.posted("/translate", {{"q", {"a b", "c d"}}, {"target", "tgt"}});
  const auto line = [&](size_t i) { return plain["translatedText"][i].get<std::string>(); };
  CHECK(translated("<p>a\n b<br> <i>c d</i></p>") ==
        "<p>" + line(0) + "<br> <i>" + line(1) + "</i></p>");
  CHECK(translated("<br><pre>a</pre>") == "<br><pre>a</pre>");
  std::string tagged = translated("a <i>b</i>");
  for (const std::string tag : {"<i>", "</i>"}) {
    const size_t at = tagged.find(tag);
    REQUIRE(at != std::string::npos);
    tagged.erase(at, tag.size());
  }
  CHECK(tagged == line(0));
  CHECK(translated("a <code>x</code> b").find("<code>x</code>") != std::string::npos);
}

TEST_CASE("detect recognises the languages of the runs, and spec lists the translation routes") {
  TestService served;
  const json guesses = served.posted("/detect", {{"q", "a b c"}});
  REQUIRE(guesses.size() == 2);
  CHECK(guesses[0]["confidence"].get<double>() >= guesses[1]["confidence"].get<double>());
  const DataConfig data = open_translation_run(trained().places()[0]).config.data;
  const Corpus corpus(corpus_sources(data.validation, data, Split::validation).front());
  const RowBlock block = corpus.read(0, corpus.size(), 100'000);
  std::string source, target;
  for (int64_t i = 0; i < block.rows(); ++i) {
    source += std::string(block.row(i)[0].text) + "\n";
    target += std::string(block.row(i)[1].text) + "\n";
  }
  CHECK(served.posted("/detect", {{"q", source}})[0]["language"] == "src");
  CHECK(served.posted("/detect", {{"q", target}})[0]["language"] == "tgt");
  CHECK(served.refused("/detect", {{"text", "a"}}) == "400 missing q parameter");
  const json spec = json::parse(served.get("/spec").body);
  for (const char* route : {"/translate", "/detect", "/languages"}) {
    CHECK(spec["paths"].contains(route));
  }
}

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

TEST_CASE("the confidence of a translation is the mean of its words, in a calibrated run") {
  const json request = {{"source", {"a b", "c"}}, {"target", {"b a", ""}}};
  CHECK(TestService().refused("/confidence", request) ==
        "400 translation has no confidence; run 'calque calibrate' on it");
  ServedRuns runs = open_served_runs(places(trained().places(), {}));
  runs.translators.front().calibration = Calibration({0, 0.1, 1});
  TestService served(std::move(runs), {});
  CHECK(json::parse(served.get("/runs").body)["translators"][0]["confidence"] == true);
  const json all = served.posted("/confidence", request)["confidences"];
  REQUIRE(all.size() == 2);
  REQUIRE(all[0]["words"].size() == 2);
  CHECK(all[0]["words"][0]["text"] == "b");
  const double first = all[0]["words"][0]["confidence"], second = all[0]["words"][1]["confidence"];
  CHECK(all[0]["confidence"].get<double>() == doctest::Approx((first + second) / 2));
  CHECK(first > 0.3);
  CHECK(first < 1);
  CHECK(all[1] == json{{"confidence", 0}, {"words", json::array()}});
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

TEST_CASE("a run in several languages is a translator for each of its pairs") {
  const TemporaryFolder folder;
  run_task(*std::ranges::find(all_models(), "translation-in-several-languages", &TaskCase::name),
           folder, {}, "several");
  Service service(open_served_runs({folder.path("several")}), {});
  const auto answer = [&](const std::string& path, const json& body) {
    return answer_of(
        service,
        {.method = "POST", .path = path, .content_type = "application/json", .body = body.dump()});
  };
  const json languages =
      json::parse(answer_of(service, {.method = "GET", .path = "/languages"}).body);
  CHECK(languages == json{{{"code", "a"}, {"name", "a"}, {"targets", {"b", "c"}}},
                          {{"code", "b"}, {"name", "b"}, {"targets", {"a"}}},
                          {{"code", "c"}, {"name", "c"}, {"targets", {"a"}}}});
  const json runs = json::parse(answer_of(service, {.method = "GET", .path = "/runs"}).body);
  CHECK(runs["translators"][2] ==
        json{{"name", "several:a-c"}, {"source", "a"}, {"target", "c"}, {"confidence", false}});
  const TranslationRun run = open_translation_run(folder.path("several"), LanguageChoice{"a", "c"});
  const Translator models[] = {run.model()};
  const std::vector<std::string> texts = {"a b c", "b"};
  const auto lines =
      translate_texts(models, run.tokenizers, texts, translation_options(run.config.decoding));
  CHECK(accepted_json(answer("/translate", {{"q", texts}, {"source", "a"}, {"target", "c"}})) ==
        json{{"translatedText", lines}});
  CHECK(accepted_json(answer("/translate", {{"q", texts}, {"model", "several:a-c"}})) ==
        json{{"translatedText", lines}});
  const json automatic = accepted_json(answer("/translate", {{"q", "a b"}, {"target", "a"}}));
  CHECK(std::set<std::string>{"b", "c"}.contains(automatic["detectedLanguage"]["language"]));
  CHECK(refusal_of(answer("/translate", {{"q", "a"}, {"source", "b"}, {"target", "c"}})) ==
        "400 b to c is not supported, but a to b, b to a, a to c, c to a");
  const json body = {{"source", "a b"}, {"target", "b a"}, {"model", "several:b-a"}};
  CHECK(accepted_json(answer("/align", body))["alignments"]["source"] == json{"a", "b"});
  const json scores = accepted_json(answer("/score", body))["scores"];
  const Tokenizers& both = run.tokenizers;
  std::vector<int32_t> source = both.source.encode("a b");
  source.insert(source.begin(), *both.source.find(">>a<<"));
  CHECK(scores["log_probability"] ==
        score_pairs(run.model(), {source}, {both.target.encode("b a")})[0].log_probability);
}

}  // namespace
}  // namespace calque
