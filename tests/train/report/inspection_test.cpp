// What is written of an inspection: JSON with its numbers, tables for the terminal, and the page.
#include <cmath>
#include <nlohmann/json.hpp>

#include "browser/made_up_explanation.h"
#include "core/error.h"
#include "data/text/utf8.h"
#include "train/report/figures/inspection_text.h"
#include "train/report/fixture.h"
#include "train/report/pages/explain_page.h"
#include "train/report/pages/inspection_json.h"

using namespace calque;
using Json = nlohmann::json;

namespace {

Inspection inspection_of(const Explanation& explanation) {
  return tests::made_up_inspection(explanation);
}

}  // namespace

TEST_CASE("the JSON of an inspection has its numbers, and the texts of its tokens") {
  const Explanation explanation = tests::made_up_text_explanation();
  const Inspection inspection = inspection_of(explanation);
  const Json json = Json::parse(inspection_json(explanation, inspection, 9));
  CHECK(json["lens"].size() == 4);
  const LensGuess& guess = inspection.lens[1][2];
  CHECK(json["lens"][1][2]["target"].get<float>() == guess.target);
  CHECK(json["lens"][1][2]["best"][0]["id"] == guess.best[0].token);
  CHECK(json["lens"][1][2]["best"][0]["text"] == explanation.vocabulary[guess.best[0].token]);
  CHECK(json["heads"][1]["pattern"] == "induction");
  CHECK(json["heads"][0]["induction"].is_null());
  CHECK(json["heads"][0]["without"]["next"][0]["after"].get<float>() ==
        inspection.zeroed[0].next[0].after);
  CHECK(json["attribution"][0].size() == explanation.target_tokens.size());
  CHECK(json["patching"]["patched"][2][3].get<float>() == 1.0F);
  CHECK(json["edited"]["text"] == inspection.edited->text);

  CHECK(Json::parse(explanation_json(explanation, &inspection))["inspection"] == json);
  CHECK(!Json::parse(explanation_json(explanation)).contains("inspection"));
}

TEST_CASE("an inspection that does not fit its explanation is refused") {
  const Explanation explanation = tests::made_up_text_explanation();
  Inspection inspection = inspection_of(explanation);
  inspection.zeroed.pop_back();
  CHECK_THROWS_AS(inspection_json(explanation, inspection, 9), Misuse);
  inspection = inspection_of(explanation);
  inspection.lens[2].pop_back();
  CHECK_THROWS_AS(inspection_json(explanation, inspection, 9), Misuse);
}

TEST_CASE("the tables of an inspection fit the width, and show the last layer in any case") {
  const Explanation explanation = tests::made_up_text_explanation();
  const Inspection inspection = inspection_of(explanation);
  const std::string wide = inspection_text(explanation, inspection, 120);
  CHECK(wide.find("embedding         layer 1           layer 2           layer 3") !=
        std::string::npos);
  const std::string narrow = inspection_text(explanation, inspection, 70);
  CHECK(narrow.find("embedding         layer 3") != std::string::npos);
  // The way from -1 to 3 is 4 long, and the vector takes 2 of it.
  CHECK(wide.find("50%") != std::string::npos);
  CHECK(wide.find(" \n") == std::string::npos);
  CHECK(wide.find("1.2     induction") != std::string::npos);
}
