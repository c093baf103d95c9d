// Identifying languages after learning one sentence of each.
#include "serve/language_detector.h"

#include <doctest/doctest.h>

namespace calque {
namespace {

LanguageDetector three_languages() {
  LanguageDetector detector;
  detector.learn("de",
                 "Der kleine Hund schläft unter dem großen Tisch, und die Katze sieht ihn nicht.");
  detector.learn("en", "The little dog sleeps under the big table, and the cat does not see him.");
  detector.learn("fr", "Le petit chien dort sous la grande table, et le chat ne le voit pas.");
  return detector;
}

TEST_CASE("the most probable language comes first, and confidences are percentages") {
  const LanguageDetector detector = three_languages();
  CHECK(detector.detect("die Katze schläft")[0].language == "de");
  CHECK(detector.detect("THE CAT sleeps!")[0].language == "en");
  CHECK(detector.detect("le chat dort")[0].language == "fr");
  double sum = 0;
  double before = 100;
  for (const auto& [language, confidence] : detector.detect("the dog")) {
    CHECK(confidence <= before);
    before = confidence;
    sum += confidence;
  }
  CHECK(sum == doctest::Approx(100));
}

TEST_CASE("only the languages that are asked for are considered") {
  const auto guesses = three_languages().detect("the cat", {"de", "fr"});
  REQUIRE(guesses.size() == 2);
  CHECK(guesses[0].language != "en");
}

TEST_CASE("a text without known letters gives all languages the same confidence") {
  for (const char* text : {"", "12 345!", "\u65e5\u672c\u8a9e"}) {
    for (const auto& guess : three_languages().detect(text)) {
      CHECK(guess.confidence == doctest::Approx(100.0 / 3));
    }
  }
  CHECK_FALSE(LanguageDetector().useful());
  CHECK(LanguageDetector().detect("a").empty());
}

}  // namespace
}  // namespace calque
