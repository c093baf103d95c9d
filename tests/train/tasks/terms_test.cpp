// Glossaries: training data with marked terms, and translations that have the terms.
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "data/temporary_folder.h"
#include "data/terms/term_marks.h"
#include "support/message_of.h"
#include "train/run/plan.h"
#include "train/tasks/translation/split_evaluation.h"
#include "train/tasks/translation/terms/term_counts.h"
#include "train/tasks/translation/texts.h"
#include "train/trainer_fixture.h"

namespace calque {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

// The lines of the only file in the run's cache that begins and ends so.
Texts cached_lines(const TemporaryFolder& folder, const std::string& ending) {
  Texts lines;
  for (const auto& entry : fs::directory_iterator(folder.path("run/cache"))) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("terms-") || !name.ends_with(ending)) continue;
    REQUIRE(lines.empty());
    std::istringstream in(folder.read("run/cache/" + name));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  return lines;
}

int64_t count_marked(const Texts& lines) {
  return std::ranges::count_if(
      lines, [](const std::string& line) { return line.find("<term> ") != line.npos; });
}

// A run without marks and one with, trained once.
struct TrainedRuns {
  TemporaryFolder folder;
  TrainedRuns() {
    folder.write("terms.tsv", "b\tb\nc d\td c\n");
    calque::run(folder, {}, "plain");
    calque::run(folder, {"data.terms={share: 0.5, file: " + folder.path("terms.tsv") + "}"});
  }
  std::vector<TranslationRun> open(const std::string& name) const {
    return open_translation_runs({{folder.path(name)}});
  }
};

const TrainedRuns& trained() {
  static const TrainedRuns runs;
  return runs;
}

TextSearch search_with(const std::vector<TranslationRun>& runs, const std::vector<Term>& terms,
                       bool force = true) {
  TextSearch search = translation_options(runs.front().config.decoding);
  search.beam = 2;
  search.terms = term_use(runs, std::make_shared<const Glossary>(terms), force);
  return search;
}

Texts translations(const std::vector<TranslationRun>& runs, const Texts& texts,
                   const TextSearch& search) {
  return translate_texts(models_of(runs), runs.front().tokenizers, texts, search);
}

TEST_CASE("a share of the sources with terms is marked, and the marks are tokens") {
  const Texts sources = cached_lines(trained().folder, ".source");
  const Texts targets = cached_lines(trained().folder, ".target");
  REQUIRE(sources.size() == 400);
  REQUIRE(targets.size() == 400);
  const Glossary glossary = read_glossary(trained().folder.path("terms.tsv"));
  int64_t with_terms = 0, marked = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string plain = without_term_marks(sources[i]);
    with_terms += glossary.find(plain).empty() ? 0 : 1;
    if (plain == sources[i]) continue;
    ++marked;
    const size_t b = sources[i].find("<term> b <as> b </term>");
    const size_t c = sources[i].find("<term> c d <as> d c </term>");
    CHECK(std::min(b, c) != std::string::npos);
  }
  CHECK(marked > with_terms / 3);
  CHECK(marked < with_terms * 2 / 3);
  const std::string log = trained().folder.read("run/train.log");
  CHECK(log.find("; terms marked in " + std::to_string(marked) + " sources") != log.npos);
  const Tokenizer source = trained().open("run")[0].tokenizers.source;
  const auto ids = source.encode("a <term> b <as> b </term>");
  CHECK(ids.size() == 6);
  CHECK(std::ranges::count(ids, unknown_id) == 0);
}

TEST_CASE("without a glossary, terms are learned from the corpora; a run resumes with them") {
  const TemporaryFolder folder;
  const Texts settings = {"data.terms={share: 1}", "training.until=10u",
                          "data.train={toy: reverse, pairs: 400, longest: 6, symbols: 300}"};
  run(folder, settings);
  const Texts sources = cached_lines(folder, ".source");
  CHECK(sources.size() == 400);
  CHECK(count_marked(sources) > 300);
  Texts longer = settings;
  longer[1] = "training.until=20u";
  CHECK_NOTHROW(run(folder, longer));
  longer[0] = "data.terms={share: 0.5}";
  CHECK(message_of([&] { run(folder, longer); }).find("data.terms") != std::string::npos);
}

TEST_CASE("a training without any term is refused") {
  const TemporaryFolder folder;
  folder.write("none.tsv", "nowhere\tnirgends\n");
  folder.write("bad.tsv", "cow Kuh\n");
  const auto problem = [&](const std::string& file) {
    return message_of(
        [&] { run(folder, {"data.terms={share: 1, file: " + folder.path(file) + "}"}); });
  };
  CHECK(problem("none.tsv") == "data.terms: no training pair that was drawn has a term of " +
                                   folder.path("none.tsv") + " in both languages");
  CHECK(problem("bad.tsv").starts_with(folder.path("bad.tsv") + ":1: has no tab"));
  CHECK(message_of([] { config({"data.terms={file: x}"}); }).find("needs share") !=
        std::string::npos);
  CHECK(message_of([] { config({"data.terms={share: 2}"}); }).find("0.001 to 1") !=
        std::string::npos);
}

TEST_CASE("a translation that lacks a term is searched again with it, and others stay") {
  const std::vector<TranslationRun> runs = trained().open("plain");
  const Texts texts = {"a b c", "d e", "", "f c d b"};
  TextSearch plain = translation_options(runs.front().config.decoding);
  plain.beam = 2;
  const Texts before = translations(runs, texts, plain);
  const TextSearch search = search_with(runs, {{"b", {"q r"}}, {"c d", {"z", "y y"}}});
  const Texts after = translations(runs, texts, search);
  CHECK((" " + after[0] + " ").find(" q r ") != std::string::npos);
  CHECK(after[1] == before[1]);
  CHECK(after[2] == "");
  CHECK((" " + after[3] + " ").find(" q r ") != std::string::npos);
  const bool either = (" " + after[3] + " ").find(" z ") != std::string::npos ||
                      after[3].find("y y") != std::string::npos;
  CHECK(either);
  const TermCounts counts = count_terms(*search.terms.glossary, texts, after);
  CHECK(counts.terms == 3);
  CHECK(counts.exact + counts.forms == 3);
  CHECK(counts.text().starts_with("100.00% of 3, "));
}

TEST_CASE("a term that the vocabulary cannot write changes nothing") {
  const std::vector<TranslationRun> runs = trained().open("plain");
  TextSearch plain = translation_options(runs.front().config.decoding);
  plain.beam = 2;
  CHECK(translations(runs, {"a b"}, search_with(runs, {{"b", {"unwritable"}}})) ==
        translations(runs, {"a b"}, plain));
}

TEST_CASE("a model that was trained with marks reads them, unless the source becomes too long") {
  const std::vector<TranslationRun> runs = trained().open("run");
  const TextSearch search = search_with(runs, {{"b", {"x"}}}, false);
  CHECK(search.terms.marks);
  const Tokenizers& both = runs.front().tokenizers;
  CHECK(both.source.decode(source_tokens(both, "a b", search)) == "a <term> b <as> x </term>");
  TextSearch narrow = search;
  narrow.terms.longest = 5;
  CHECK(both.source.decode(source_tokens(both, "a b", narrow)) == "a b");
  const std::vector<TranslationRun> plain = trained().open("plain");
  CHECK(message_of([&] {
          search_with(plain, {{"b", {"x"}}}, false);
        }).find("was not trained with data.terms") != std::string::npos);
}

TEST_CASE("texts with sentences have their terms, and prefixes stay") {
  const std::vector<TranslationRun> runs = trained().open("run");
  const TextSearch search = search_with(runs, {{"b", {"q r"}}});
  TextTranslator translator(runs, search);
  const Texts found = translator.translate(Texts{"a b", "", "b d"}, 0);
  CHECK(found[0].find("q r") != std::string::npos);
  CHECK(found[1].empty());
  CHECK(found[2].find("q r") != std::string::npos);
  const Texts prefixes = {"e"}, sources = {"a b"};
  const auto with_prefix =
      search_texts(models_of(runs), runs.front().tokenizers, sources, search, prefixes);
  const std::string text = runs.front().tokenizers.target.decode(with_prefix[0].best[0].ids);
  CHECK(text.starts_with("e"));
  CHECK(text.find("q r") != std::string::npos);
}

TEST_CASE("an evaluation reports the terms of the translations and of the references") {
  const std::vector<TranslationRun> runs = trained().open("plain");
  const TextSearch search = search_with(runs, {{"b", {"q"}}});
  const std::vector<std::pair<std::string, std::string>> pairs = {{"a b", "b a"}, {"b", "q"}};
  const SplitResult result = evaluate_corpus(runs, "some", {in_memory("some", pairs)}, search, {});
  REQUIRE(result.terms);
  CHECK(result.terms->text() == "100.00% of 2, 100.00% in the first form");
  CHECK(result.reference_terms->text() == "50.00% of 2, 50.00% in the first form");
  CHECK(to_text(result, 0).find("  terms: 100.00% of 2, 100.00% in the first form; of the "
                                "references: 50.00% of 2") != std::string::npos);
}

TEST_CASE("minimum Bayes risk ranks the samples of a text, and forces the terms they lack") {
  const std::vector<TranslationRun> runs = trained().open("plain");
  const Tokenizer& target = runs.front().tokenizers.target;
  const Texts texts = {"a b c d", "", "e f"};
  TextSearch search = text_search(runs.front().config.decoding);
  CHECK(search.risk_samples == 0);
  TextSearch drawing = search;
  drawing.sampling = Sampling{.seed = 7};
  drawing.n_best = 6;
  search.sampling = drawing.sampling;
  search.risk_samples = 6;
  search.n_best = 3;
  const auto samples = search_texts(models_of(runs), runs.front().tokenizers, texts, drawing);
  const auto found = search_texts(models_of(runs), runs.front().tokenizers, texts, search);
  for (const size_t i : {size_t{0}, size_t{2}}) {
    Texts drawn;
    for (const Hypothesis& each : samples[i].best) drawn.push_back(target.decode(each.ids));
    const auto ranked = rank_by_risk(drawn, Utility::chrf);
    REQUIRE(found[i].best.size() == std::min<size_t>(3, ranked.size()));
    for (size_t k = 0; k < found[i].best.size(); ++k) {
      CHECK(target.decode(found[i].best[k].ids) == drawn[ranked[k].index]);
      CHECK(found[i].best[k].score == doctest::Approx(ranked[k].utility));
    }
  }
  CHECK(found[1].best.front().ids.empty());
  search.terms = search_with(runs, {{"b", {"q r"}}}).terms;
  CHECK(translations(runs, {"a b"}, search)[0].find("q r") != std::string::npos);
}

}  // namespace
}  // namespace calque
