// Sources that are longer than any that the model was trained on.
#include "data/tokenizers/training.h"
#include "train/tasks/translation/parts.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/text_search.h"
#include "train/trainer_fixture.h"

namespace calque {
namespace {

using Ends = std::vector<size_t>;

Ends ends_of(const std::string& text, TokenizerKind kind, int64_t longest) {
  const Tokenizer tokenizer = train_tokenizer({{"a b c . ! de"}}, {.kind = kind}, {});
  return part_ends(tokenizer.encode(text), tokenizer, longest);
}

TEST_CASE("a source is divided after each sentence, and a long sentence before a word") {
  CHECK(ends_of("a b . a ! b c", TokenizerKind::words, 100) == Ends{3, 5, 7});
  CHECK(ends_of("a b c a b c a . b", TokenizerKind::words, 3) == Ends{3, 6, 8, 9});
  CHECK(ends_of("a b c", TokenizerKind::words, 3) == Ends{3});
  CHECK(ends_of("", TokenizerKind::words, 3).empty());
  // The characters of "ab cde a.b c" are: a b _ c d e _ a . b _ c
  CHECK(ends_of("ab cde a.b c", TokenizerKind::characters, 5) == Ends{2, 6, 10, 12});
  CHECK(ends_of("aaaaaaa", TokenizerKind::characters, 3) == Ends{3, 6, 7});
}

TEST_CASE("a long source is translated as its parts are, and ordinary ones as without a limit") {
  const TemporaryFolder folder;
  run(folder, {"training.until=2u", "data.validation=[]"});
  const TranslationRun trained = open_translation_run(folder.path("run"));
  const Translator models[] = {trained.model()};
  TranslationOptions options = translation_options(trained.config.decoding);
  limit_sources(trained, options);
  CHECK(options.longest_trained == 6);  // by the config
  CHECK(options.longest_source == 256);
  options.longest_source = options.longest_trained = 0;
  options.beam = options.n_best = 2;
  const auto found = [&](const std::vector<std::string>& texts,
                         const std::vector<std::string>& prefixes = {}) {
    return search_texts(models, trained.tokenizers, texts, options, prefixes);
  };
  const std::vector<std::string> parts = {"a b c", "c a b", "b"};
  const auto apart = found(parts, {"c", "", ""});
  options.longest_source = 3;
  const auto whole = found({"a b c c a b b", "c a b"}, {"c", ""});
  CHECK(whole[0].source_ends == Ends{3, 6, 7});
  CHECK(whole[1].best[0].ids == apart[1].best[0].ids);
  REQUIRE(whole[0].best.size() == 2);
  for (size_t k = 0; k < 2; ++k) {
    std::vector<int32_t> ids;
    Ends ends;
    double score = 0;
    for (const FoundTranslations& part : apart) {
      ids.insert(ids.end(), part.best[k].ids.begin(), part.best[k].ids.end());
      ends.push_back(ids.size());
      score += part.best[k].score;
    }
    CHECK(whole[0].best[k].ids == ids);
    CHECK(whole[0].target_ends[k] == ends);
    CHECK(whole[0].best[k].score == doctest::Approx(score));
  }
  CHECK(long_source_warning(3, options).empty());
  CHECK(long_source_warning(7, options).starts_with("7 tokens, more than the 3 of any training"));
  options.longest_trained = 2;
  CHECK(long_source_warning(2, options).empty());
  CHECK(long_source_warning(3, options) == "3 tokens, more than the 2 of any training sentence");
  CHECK(long_source_warning(7, options).starts_with("7 tokens, more than the 2 of any training"));
  CHECK(long_source_warning(7, options).ends_with("; translated in parts, sentence by sentence"));
}

}  // namespace
}  // namespace calque
