// The routes of translators over small trained runs, without a network.
#include <doctest/doctest.h>

#include <set>

#include "data/corpora/corpus.h"
#include "decode/score.h"
#include "serve/trained_service.h"
#include "support/message_of.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/text_search.h"

namespace calque {
namespace {

using nlohmann::json;

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
