// Preceding sentences as context: in corpora, lines, texts and evaluations.
#include "train/tasks/translation/context.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "data/temporary_folder.h"
#include "support/message_of.h"
#include "train/tasks/translation/lines.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/split_evaluation.h"
#include "train/tasks/translation/texts.h"
#include "train/trainer_fixture.h"

namespace calque {
namespace {

using Texts = std::vector<std::string>;

// A run on documents of three lines, trained once.
struct TrainedRun {
  TemporaryFolder folder;
  TrainedRun() {
    std::string source, target;
    for (int i = 0; i < 90; ++i) {
      const std::string word(1, static_cast<char>('a' + i % 26));
      source += i % 4 == 3 ? "\n" : word + " b c\n";
      target += i % 4 == 3 ? "\n" : "c b " + word + "\n";
    }
    const std::string en = folder.write("text.en", source), de = folder.write("text.de", target);
    const std::string corpus = "{source: " + en + ", target: " + de + "}";
    calque::run(folder, {"data.train=" + corpus, "data.validation=" + corpus,
                         "data.preceding_sentences=2", "data.max_length=12"});
  }
  std::vector<TranslationRun> open() const { return open_translation_runs({{folder.path("run")}}); }
};

const TrainedRun& trained() {
  static const TrainedRun run;
  return run;
}

TextSearch search_of(const TranslationRun& run) {
  TextSearch search = translation_options(run.config.decoding);
  limit_sources(run, search);
  return search;
}

// The translations of texts that have their context.
Texts translated(const Texts& texts) {
  const std::vector<TranslationRun> runs = trained().open();
  return translate_texts(models_of(runs), runs[0].tokenizers, texts, search_of(runs[0]));
}

TEST_CASE("a sentence has those before it as context, up to an empty line") {
  CHECK(with_contexts(Texts{"a", "b", "c", "d", "", "e", "f"}, 2) ==
        Texts{"a", "a <sep> b", "a <sep> b <sep> c", "b <sep> c <sep> d", "", "e", "e <sep> f"});
  CHECK(with_contexts(Texts{"a", "b"}, 0) == Texts{"a", "b"});
  CHECK(context_of("a <sep> b <sep> c d") == "a <sep> b <sep> ");
  CHECK(sentence_of("a <sep> b <sep> c d") == "c d");
  CHECK(sentence_of("c d") == "c d");
  CHECK(sentence_of("a <sep>") == "");
  CHECK(shorter_context("a <sep> b <sep> ") == "b <sep> ");
  CHECK(shorter_context("a <sep> ") == "");
}

TEST_CASE("training and validation sources have their context, and <sep> is a token") {
  Texts sources;
  for (const auto& entry :
       std::filesystem::directory_iterator(trained().folder.path("run/cache"))) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("context-") || !name.ends_with(".source")) continue;
    std::istringstream in(trained().folder.read("run/cache/" + name));
    for (std::string line; std::getline(in, line);) sources.push_back(line);
  }
  REQUIRE(sources.size() == 90);
  CHECK(sources[0] == "a b c");
  CHECK(sources[1] == "a b c <sep> b b c");
  CHECK(sources[2] == "a b c <sep> b b c <sep> c b c");
  CHECK(sources[3].empty());
  CHECK(sources[4] == "e b c");
  const TranslationRun run = std::move(trained().open()[0]);
  CHECK(run.tokenizers.source.encode(sources[2]).size() == 11);
  CHECK(run.longest_input == 11);
}

TEST_CASE("a context that makes a source too long loses its first sentences") {
  const TranslationRun run = std::move(trained().open()[0]);
  const auto tokens = [&](const std::string& text) {
    return run.tokenizers.source.decode(source_tokens(run.tokenizers, text, search_of(run)));
  };
  CHECK(tokens("a b <sep> c d e f g h <sep> a b") == "a b <sep> c d e f g h <sep> a b");
  CHECK(tokens("a b c <sep> c d e f g h <sep> a b") == "c d e f g h <sep> a b");
  CHECK(tokens("a a a a a a a a a <sep> a a a a a a") == "a a a a a a");
}

TEST_CASE("lines and texts have their context, across calls and up to an empty line") {
  const Texts lines = {"a b", "b c", "", "c d"};
  const Texts expected = translated({"a b", "a b <sep> b c", "", "c d"});
  const std::vector<TranslationRun> runs = trained().open();
  LineTranslator by_line(trained().open(), {.search = search_of(runs[0])});
  TextTranslator by_text(runs, search_of(runs[0]));
  for (size_t i = 0; i < lines.size(); ++i) {
    const Texts one = {lines[i]};
    CHECK(by_line.translate(one, static_cast<int64_t>(i)) == expected[i] + "\n");
    CHECK(by_text.translate(one, static_cast<int64_t>(i)) == Texts{expected[i]});
  }
  CHECK(by_text.translate(lines, 0, TextTranslator::Order::independent) ==
        translated({"a b", "b c", "", "c d"}));
  LineOptions aligned{.search = search_of(runs[0]), .alignment = true};
  CHECK(message_of([&] { LineTranslator(trained().open(), aligned); }).find("cannot align words") !=
        std::string::npos);
}

TEST_CASE("an evaluation gives the sources their context") {
  const std::vector<TranslationRun> runs = trained().open();
  const std::vector<std::pair<std::string, std::string>> pairs = {{"a b", "b a"}, {"b c", "c b"}};
  const SplitResult result =
      evaluate_corpus(runs, "some", {in_memory("some", pairs)}, search_of(runs[0]), {});
  CHECK(result.outputs == translated({"a b", "a b <sep> b c"}));
  CHECK(result.sources == Texts{"a b", "b c"});
}

TEST_CASE("the terms of a context are not those of its sentence") {
  const std::vector<TranslationRun> runs = trained().open();
  TextSearch search = search_of(runs[0]);
  search.terms =
      term_use(runs, std::make_shared<const Glossary>(std::vector<Term>{{"a", {"z z"}}}), true);
  const Texts texts = {"a b <sep> b c", "b c <sep> a b"};
  const Texts found = translate_texts(models_of(runs), runs[0].tokenizers, texts, search);
  CHECK(found[0] == translated({texts[0]})[0]);
  CHECK(found[1].find("z z") != std::string::npos);
}

}  // namespace
}  // namespace calque
