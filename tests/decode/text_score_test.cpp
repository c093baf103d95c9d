// Scoring reads texts at once and equals the full pass over each prefix.
#include <doctest/doctest.h>

#include "core/error.h"
#include "decode/plain_decoding.h"
#include "decode/score.h"
#include "nn/small_language_model.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

std::vector<Ids> texts_of(const std::vector<int32_t>& lengths) {
  const LanguageModelOptions options = small_language_model_options();
  std::vector<Ids> texts;
  for (const int32_t length : lengths) {
    texts.push_back(random_text(options, {length}, 40 + static_cast<uint64_t>(length)).ids);
  }
  return texts;
}

// log p(text[t + 1] | text[begin .. t]).
double plain(const LanguageModel& model, const Ids& text, int64_t begin, int64_t t) {
  const Ids read(text.begin() + begin, text.begin() + t + 1);
  return next_log_probabilities(model, read)[static_cast<size_t>(text[t + 1])];
}

TEST_CASE("each token's log-probability is that of the full pass, whatever its batch") {
  const std::vector<Ids> texts = texts_of({1, 2, 9, 0, 17, 5});
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    const SmallLanguageModel small(variant.options);
    for (const int64_t batch_tokens : {1, 12, 1000}) {
      const auto logs = token_log_probabilities(small.model, texts, {.batch_tokens = batch_tokens});
      REQUIRE(logs.size() == texts.size());
      CHECK(logs[0].empty());
      CHECK(logs[3].empty());
      for (const size_t i : {1, 2, 4, 5}) {
        REQUIRE(logs[i].size() == texts[i].size() - 1);
        for (int64_t t = 0; t < std::ssize(logs[i]); ++t) {
          CHECK(logs[i][t] == doctest::Approx(plain(small.model, texts[i], 0, t)).epsilon(1e-5));
        }
      }
    }
  }
}

// Windows of 6 tokens, 2 apart: tokens 0 to 5, then 2 to 7 of which 6 and 7 count, 4 to 9, ...
TEST_CASE(
    "a long text is read in windows, each of which scores the tokens that no earlier one has") {
  LanguageModelOptions options = small_language_model_options();
  options.layer.positions = PositionKind::rotary;
  const SmallLanguageModel small(options);
  const std::vector<Ids> texts = texts_of({12, 4});
  const auto logs = token_log_probabilities(small.model, texts, {.context = 6, .stride = 2});
  const std::vector<int64_t> begins = {0, 0, 0, 0, 0, 0, 2, 2, 4, 4, 6};
  REQUIRE(logs[0].size() == begins.size());
  for (size_t t = 0; t < begins.size(); ++t) {
    CAPTURE(t);
    const auto at = static_cast<int64_t>(t);
    CHECK(logs[0][t] == doctest::Approx(plain(small.model, texts[0], begins[t], at)).epsilon(1e-5));
  }
  CHECK(logs[1].size() == 3);
}

TEST_CASE("learned positions limit the context, and the stride is half of it") {
  const SmallLanguageModel small(small_language_model_options());  // 16 positions
  const std::vector<Ids> texts = texts_of({30});
  const auto logs = token_log_probabilities(small.model, texts);
  REQUIRE(logs[0].size() == 29);
  for (int64_t t = 0; t < 29; ++t) {
    const int64_t begin = t < 16 ? 0 : t < 24 ? 8 : 16;
    CHECK(logs[0][t] == doctest::Approx(plain(small.model, texts[0], begin, t)).epsilon(1e-5));
  }
  CHECK_THROWS_AS(token_log_probabilities(small.model, texts, {.context = 8, .stride = 9}), Misuse);
}

}  // namespace
}  // namespace calque
