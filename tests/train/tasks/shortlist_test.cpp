// The shortlist of a run: its file, what a split finds in it, and that searches use it.
#include <algorithm>

#include "train/tasks/fixture.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/search.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/shortlist_file.h"
#include "train/tasks/translation/shortlist_learning.h"

namespace calque {
namespace {

const TaskCase& translation() {
  return *std::ranges::find(all_tasks(), "translation", &TaskCase::name);
}

TEST_CASE("a run's shortlist is learned, stored and used, and its tokenizers must be the same") {
  const TemporaryFolder folder;
  run_task(translation(), folder, {"training.until=5u"});
  const std::string path = folder.path("run");
  const TranslationRun run = open_translation_run(path);
  CHECK(run.shortlist == nullptr);
  const auto corpora = corpus_sources(run.config.data.train, run.config.data, Split::train);
  // The toy language reverses: every token is copied.
  const Shortlist list = learn_shortlist(run, corpora, {.per_token = 1, .frequent = 0});
  const ShortlistRecall recall = recall_of(list, run, corpora);
  CHECK(recall.pairs == 400);
  CHECK(recall.whole == 400);
  CHECK(recall.found == recall.tokens);
  CHECK(recall.listed < 400 * run.tokenizers.target.size());

  save_shortlist(run.folder, run.tokenizers, list);
  const TranslationRun again = open_translation_run(path);
  REQUIRE(again.shortlist);
  CHECK(*again.shortlist == list);
  TranslationOptions options = translation_options(again.config.decoding);
  limit_sources(again, options);
  CHECK(options.shortlist == again.shortlist);
  options.use_shortlist = false;
  limit_sources(again, options);
  CHECK(options.shortlist == nullptr);

  const std::string text = folder.read("run/shortlist.txt");
  const auto refused = [&](const std::string& damaged) {
    folder.write("run/shortlist.txt", damaged);
    return message_of([&] { open_translation_run(path); });
  };
  const std::string message = path + "/shortlist.txt: is damaged or of other tokenizers; ";
  for (const std::string& damaged :
       {std::string(), text.substr(0, text.size() / 2), text + "3\n", "x" + text,
        text.substr(0, text.size() - 1) + " 99999\n", text.substr(0, text.size() - 1) + " x\n"}) {
    CHECK_MESSAGE(refused(damaged).starts_with(message), refused(damaged));
  }
}

}  // namespace
}  // namespace calque
