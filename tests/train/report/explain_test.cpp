// What is written of an explanation: the page and its numbers, the JSON with raw weights, the
// figure.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "train/report/explain_data.h"
#include "train/report/figures/attention_figure.h"
#include "train/report/fixture.h"
#include "train/report/pages/explain_page.h"

using namespace calque;
using Json = nlohmann::json;

namespace {

constexpr const char* hostile = "</script><b>\xE2\x80\xA8";

// Two source tokens, two target tokens, one layer with two heads.
Explanation small_explanation() {
  Explanation explanation;
  explanation.source = hostile;
  explanation.vocabulary = {"<unk>", "<s>", "</s>", "a", hostile};
  explanation.source_tokens = {4, 2};
  explanation.target_tokens = {3, 2};
  explanation.logits = {{-1, -2, 0, 2, 1}, {0, 0, 3, -INFINITY, 0}};
  for (int head = 0; head < 2; ++head) {
    const float first = head == 0 ? 1.0F : 0.5F;
    const ExplainedMatrix weights{2, 2, {first, 1 - first, 0.25F, 0.75F}};
    explanation.encoder_self.push_back({0, head, weights});
    explanation.decoder_self.push_back({0, head, {2, 2, {1, 0, 0.5F, 0.5F}}});
    explanation.cross.push_back({0, head, weights});
  }
  explanation.positions = {2, 3, {0, 1, 0, 0.84F, 0.54F, 0.1F}};
  explanation.neighbours = {{3, {{4, 0.5F}}}};
  explanation.beam = {{-1, 3, -0.5F, -0.5F, BeamFate::kept},
                      {-1, 4, -1.5F, -1.5F, BeamFate::pruned},
                      {0, 2, -0.6F, -0.3F, BeamFate::best}};
  return explanation;
}

}  // namespace

TEST_CASE("the rest of a distribution keeps its mass at any temperature") {
  std::vector<float> logits;
  for (int i = 0; i < 5000; ++i) logits.push_back(static_cast<float>(3 * std::sin(0.37 * i)));
  logits[17] = 9;
  const StepSummary summary = summarise_step(logits, 17, 20);
  CHECK(summary.best.size() == 20);
  CHECK(summary.best.front().token == 17);
  for (const double temperature : {0.5, 1.0, 2.0}) {
    double whole = 0, best = 0, rest = 0;
    for (const float logit : logits) whole += std::exp(logit / temperature);
    for (const auto& alternative : summary.best) best += std::exp(alternative.logit / temperature);
    for (size_t i = 0; i < summary.rest_logits.size(); ++i) {
      rest += summary.rest_counts[i] * std::exp(summary.rest_logits[i] / temperature);
    }
    CHECK((best + rest) / whole == doctest::Approx(1).epsilon(2e-3));
    if (temperature == 1.0) CHECK(std::log(whole) == doctest::Approx(summary.log_normaliser));
  }
}

TEST_CASE(
    "the chosen token is among the alternatives however unlikely, a forbidden one has no mass") {
  const StepSummary summary = summarise_step({5, 4, -INFINITY, 3, 2}, 4, 2);
  REQUIRE(summary.best.size() == 3);
  CHECK(summary.best.back().token == 4);
  CHECK(summary.rest_counts == std::vector<double>{1});
  CHECK(summary.rest_logits == std::vector<double>{3});
}

TEST_CASE("the JSON of an explanation has its values unchanged") {
  const Explanation explanation = small_explanation();
  const Json json = Json::parse(explanation_json(explanation));
  CHECK(json["source"] == hostile);
  CHECK(json["source_tokens"][0]["text"] == hostile);
  CHECK(json["cross"][1]["head"] == 1);
  CHECK(json["cross"][1]["weights"] == Json::parse("[[0.5,0.5],[0.25,0.75]]"));
  CHECK(json["positions"][1][1].get<float>() == 0.54F);
  CHECK(json["neighbours"][0]["nearest"][0]["text"] == hostile);
  CHECK(json["neighbours"][0]["nearest"][0]["cosine"].get<float>() == 0.5F);
  CHECK(json["beam"][2]["fate"] == "best");
  CHECK(json["beam"][2]["parent"] == 0);
  CHECK(json["steps"][1]["best"].back()["logit"].is_null());
  const double first =
      std::exp(2.0) / (std::exp(-1.0) + std::exp(-2.0) + 1 + std::exp(2.0) + std::exp(1.0));
  CHECK(json["steps"][0]["log_probability"].get<double>() == doctest::Approx(std::log(first)));
  CHECK(json["steps"][0]["best"][0]["probability"].get<double>() == doctest::Approx(first));
}

TEST_CASE("the explain page loads nothing from outside, and escapes hostile text") {
  const std::string page = explain_page(small_explanation());
  CHECK(page.find("</script><b>") == std::string::npos);
  CHECK(page.find("<title>&lt;/script&gt;") != std::string::npos);
  for (const char* outside : {"https://", "src=", "@import", "fetch("}) {
    CAPTURE(outside);
    CHECK(page.find(outside) == std::string::npos);
  }
}

TEST_CASE(
    "the figure shows a head or the mean of one or all layers, and refuses other layers and "
    "heads") {
  Explanation explanation = small_explanation();
  explanation.cross.push_back({1, 0, {2, 2, {0, 1, 1, 0}}});
  const std::string head = cross_attention_svg(explanation, {.layer = 0, .head = 0});
  CHECK(head.find("<title>1.000</title>") != std::string::npos);
  const std::string layer = cross_attention_svg(explanation, {.layer = 0, .head = {}});
  CHECK(layer.find("<title>0.750</title>") != std::string::npos);  // of 1 and 0.5
  CHECK(layer.find("<title>0.500</title>") == std::string::npos);
  const std::string mean = cross_attention_svg(explanation, {.layer = {}, .head = {}});
  CHECK(mean.find("<title>0.500</title>") != std::string::npos);  // of 1, 0.5 and 0
  CHECK(mean.find("<title>0.750</title>") == std::string::npos);
  CHECK(mean.find("&lt;/script&gt;") != std::string::npos);
  CHECK_THROWS_WITH_AS(cross_attention_svg(explanation, {.layer = 0, .head = 2}),
                       "no such cross-attention: layers are 1 to 2, heads 1 to 2", Error);
  CHECK_THROWS_AS(cross_attention_svg(explanation, {.layer = 4, .head = {}}), Error);
}

TEST_CASE("an explanation whose parts do not fit together is refused") {
  const auto spoiled = [](auto&& spoil) {
    Explanation explanation = small_explanation();
    spoil(explanation);
    return explanation;
  };
  CHECK_NOTHROW(require_consistent(small_explanation()));
  CHECK_NOTHROW(require_consistent(Explanation{}));
  CHECK_THROWS_AS(require_consistent(spoiled([](Explanation& e) { e.target_tokens[0] = 5; })),
                  Misuse);
  CHECK_THROWS_AS(require_consistent(spoiled([](Explanation& e) { e.logits.pop_back(); })), Misuse);
  CHECK_THROWS_AS(require_consistent(spoiled([](Explanation& e) { e.logits[0].pop_back(); })),
                  Misuse);
  CHECK_THROWS_AS(
      require_consistent(spoiled([](Explanation& e) { e.cross[0].weights.values.pop_back(); })),
      Misuse);
  CHECK_THROWS_AS(require_consistent(spoiled([](Explanation& e) { e.beam[0].parent = 0; })),
                  Misuse);
}

TEST_CASE("a sentence without tokens, beam or positions still makes a page") {
  const Explanation nothing;
  CHECK(explain_page(nothing).ends_with("</html>\n"));
  CHECK(Json::parse(explanation_json(nothing))["beam"].empty());
}
