// How probable words of translations are right: the fit, its error, and the file of a run.
#include "train/tasks/translation/confidence/confidence.h"

#include <cmath>
#include <fstream>

#include "core/random.h"
#include "train/tasks/translation/confidence/judgement.h"
#include "train/trainer_fixture.h"

namespace calque {
namespace {

// Words whose log-probability is between -5 and 0, and which are right with `truth` of it.
std::vector<JudgedWord> words_with(double (*truth)(double), uint64_t seed) {
  Random random({.seed = seed});
  std::vector<JudgedWord> words;
  for (int i = 0; i < 20'000; ++i) {
    const double log = -5 * random.uniform();
    words.push_back(
        {{.word = log, .weakest = log, .sentence = -0.5}, random.uniform() < truth(log)});
  }
  return words;
}

double error_of(const Calibration& calibration, const std::vector<JudgedWord>& words) {
  std::vector<Outcome> outcomes;
  for (const JudgedWord& word : words) {
    outcomes.push_back({calibration.confidence(word.evidence), word.right ? 1.0 : 0.0});
  }
  return calibration_error(outcomes);
}

TranslationRun trained(const TemporaryFolder& folder) {
  run(folder, {"training.until=2u", "data.validation=[]"});
  return open_translation_run({folder.path("run"), {}});
}

}  // namespace

TEST_CASE("the calibration error is the weighted distance between confidence and truth") {
  CHECK(calibration_error({}) == 0);
  const std::vector<Outcome> exact = {{0.5, 1}, {0.5, 0}};
  CHECK(calibration_error(exact) == doctest::Approx(0));
  // 0.9 and 0.92 share a range: |1.82 - 1| over three outcomes; 0.2 is 0.2 too high.
  const std::vector<Outcome> three = {{0.9, 1}, {0.92, 0}, {0.2, 0}};
  CHECK(calibration_error(three) == doctest::Approx((0.82 + 0.2) / 3));
  CHECK(calibration_error(std::vector<Outcome>{{1, 1}}) == doctest::Approx(0));
}

TEST_CASE("a fitted calibration knows how often words of a probability are right") {
  double (*truth)(double) = [](double log) { return std::exp(log); };
  SUBCASE("the model's own probability") {}
  SUBCASE("a model that is too sure") {
    truth = [](double log) { return 0.8 * std::exp(log) + 0.1; };
  }
  SUBCASE("a model that is not sure enough") {
    truth = [](double log) { return std::exp(log / 4); };
  }
  const Calibration fitted = Calibration::fit(words_with(truth, 1));
  CHECK(error_of(fitted, words_with(truth, 2)) < 0.02);
  const auto confidence = [&](double log) {
    return fitted.confidence({.word = log, .weakest = log, .sentence = -0.5});
  };
  CHECK(confidence(-0.1) == doctest::Approx(truth(-0.1)).epsilon(0.06));
  CHECK(confidence(-0.1) > confidence(-1));
  CHECK(confidence(-1) > confidence(-4));
}

TEST_CASE("words that are all right give confidences below 1, and all wrong above 0") {
  bool right = true;
  SUBCASE("right") {}
  SUBCASE("wrong") { right = false; }
  std::vector<JudgedWord> words;
  for (int i = 0; i < 100; ++i) words.push_back({{.word = -i / 20.0}, right});
  const double confidence = Calibration::fit(words).confidence({.word = -1});
  CHECK(confidence > 0);
  CHECK(confidence < 1);
  CHECK((confidence > 0.5) == right);
}

TEST_CASE("a word is right where the fewest edits keep it") {
  const TemporaryFolder folder;
  const TranslationRun run = trained(folder);
  const auto judged = judged_words(run, {"a b", "a", "b"}, {"a b c", "", "a"}, {"a c", "a", ""});
  REQUIRE(judged.size() == 3);
  REQUIRE(judged[0].size() == 3);
  CHECK(judged[0][0].right);
  CHECK_FALSE(judged[0][1].right);
  CHECK(judged[0][2].right);
  CHECK(judged[1].empty());
  CHECK_FALSE(judged[2][0].right);
  for (const JudgedWord& word : judged[0]) {
    CHECK(word.evidence.word <= word.evidence.weakest);
    CHECK(word.evidence.weakest < 0);
    CHECK(word.evidence.sentence == judged[0][0].evidence.sentence);
  }
}

TEST_CASE("the confidence of a text is the mean of its words") {
  const TemporaryFolder folder;
  const TranslationRun run = trained(folder);
  const std::vector<std::vector<int32_t>> ids = {run.tokenizers.source.encode("a b c")};
  const TextConfidence text = confidences(run, Calibration({0.1, 0.3, 1}), ids, ids).front();
  REQUIRE(text.words.size() == 3);
  double sum = 0;
  for (const WordConfidence& word : text.words) sum += word.confidence;
  CHECK(text.confidence == doctest::Approx(sum / 3));
  CHECK(text.words[1].text == "b");
}

TEST_CASE("a run keeps its calibration, which is for the weights of one step") {
  const TemporaryFolder folder;
  TranslationRun run = trained(folder);
  CHECK_FALSE(stored_calibration(run));
  const std::string none = message_of([&] { calibration_of(run); });
  CHECK(none == fmt::format("{}: has no confidence for the weights of step 2; run 'calque "
                            "calibrate {}' first",
                            run.folder.path, run.folder.path));
  const Calibration::Weights weights = {0.5, -1, 2, 1e-9, 3, -4};
  save_calibration(run, Calibration(weights));
  CHECK(calibration_of(run).weights() == weights);
  run.step = 3;
  CHECK_FALSE(stored_calibration(run));
}

TEST_CASE("a damaged calibration is an error that names the file") {
  const TemporaryFolder folder;
  const TranslationRun run = trained(folder);
  for (const char* text :
       {"", "{", "[]", "{}", R"({"step": "2", "weights": [1,2,3,4,5,6]})",
        R"({"step": 2, "weights": [1,2]})", R"({"step": 2, "weights": [1,2,3,4,5,"6"]})"}) {
    std::ofstream(run.folder.confidence()) << text;
    CHECK(message_of([&] { stored_calibration(run); }) ==
          fmt::format("{}: is damaged; run 'calque calibrate {}' again", run.folder.confidence(),
                      run.folder.path));
  }
}

}  // namespace calque
