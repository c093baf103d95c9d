// What `calque evaluate` counts: every pair once, or the reason why not; and what it decodes.
#include "train/tasks/translation/split_evaluation.h"

#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/text_search.h"
#include "train/trainer_fixture.h"

namespace calque {
namespace {

// A run of two updates.
std::vector<TranslationRun> trained(const TemporaryFolder& folder,
                                    std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"training.until=2u", "data.validation=[]"});
  run(folder, settings);
  return open_translation_runs({folder.path("run")});
}

SplitResult evaluated(const std::vector<TranslationRun>& runs,
                      std::vector<std::pair<std::string, std::string>> pairs) {
  const Config& config = runs.front().config;
  return evaluate_corpus(runs, "some", {in_memory("some", std::move(pairs))},
                         translation_options(config.decoding), bleu_options(config));
}

TEST_CASE("an evaluation reports the number of pairs in its loss") {
  const TemporaryFolder folder;
  const auto runs = trained(folder);
  const SplitResult some = evaluated(runs, {{"a b", "b a"}, {"", "a"}, {"a", "a"}});
  CHECK(some.pairs == 3);
  CHECK(some.empty.total() == 1);
  CHECK(to_text(some, 0).find("%  on 2 of the 3 pairs; left out: 1 with an empty side "
                              "(first: some:2)\n") != std::string::npos);
  CHECK(to_text(evaluated(runs, {{"a b", "b a"}}), 0).find("pairs;") == std::string::npos);
  const std::string none = message_of([&] { evaluated(runs, {{"", "a"}, {"a", ""}}); });
  CHECK(none ==
        "some: none of 2 pairs is left after filtering: 2 with an empty side (first: some:1)");
}

TEST_CASE("an evaluation counts the pairs that it skips because they are not UTF-8") {
  const TemporaryFolder folder;
  const auto runs = trained(folder, {"data.invalid_utf8=skip"});
  const SplitResult some = evaluated(runs, {{"a b", "b a"}, {"a", "\xFF"}, {"a", "a"}});
  CHECK(some.pairs == 2);
  CHECK(
      to_text(some, 0).starts_with("some: 2 pairs; skipped: 1 not valid UTF-8 (first: some:2)\n"));
}

TEST_CASE("an evaluation names the sentence that is longer than the learned positions") {
  const TemporaryFolder folder;
  const auto runs =
      trained(folder, {"model.positions=learned", "model.max_positions=8", "data.max_length=7"});
  const std::string message = message_of([&] {
    evaluated(runs, {{"a", "a"}, {"a b c d e f g h", "a"}});
  });
  CHECK(message.starts_with("some, pair 2: a sentence of 9 tokens, but model.max_positions is 8"));
  const std::string alone =  // its pair is not in the loss
      message_of([&] {
        evaluated(runs, {{"a", "a"}, {"a b c d e f g h", ""}});
      });
  CHECK(alone.starts_with("some:2: a sentence of 9 tokens, but model.max_positions is 8"));
}

TEST_CASE("a text without tokens is not decoded, and its translation is its prefix") {
  const TemporaryFolder folder;
  const auto runs = trained(folder);
  const std::vector<std::string> texts = {"a b", "", "b"}, prefixes = {"b", "a", ""};
  std::vector<int64_t> counts;
  const auto found =
      search_texts(models_of(runs), runs.front().tokenizers, texts, TranslationOptions(), prefixes,
                   0, [&](int64_t count) { counts.push_back(count); });
  CHECK(counts.back() == 2);
  const Tokenizer& target = runs.front().tokenizers.target;
  CHECK(found[1].best.size() == 1);
  CHECK(target.decode(found[1].best.front().ids) == "a");
  CHECK(target.decode(found[0].best.front().ids).starts_with("b"));
}

}  // namespace
}  // namespace calque
