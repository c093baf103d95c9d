// Runs in several languages: which languages they know, and what the model reads for them.
#include "train/tasks/translation/languages.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "decode/alignment.h"
#include "decode/score.h"
#include "train/tasks/fixture.h"
#include "train/tasks/translation/pair_costs.h"
#include "train/tasks/translation/pair_scores.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/scoring.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/split_evaluation.h"
#include "train/tasks/translation/text_search.h"
#include "train/tasks/translation/tokenizers.h"
#include "train/tasks/translation/word_alignment.h"

namespace calque {
namespace {

const TaskCase& several() {
  return *std::ranges::find(all_models(), "translation-in-several-languages", &TaskCase::name);
}

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A run of a few steps in the languages a, b and c, trained once; every metric is measured.
const std::string& trained() {
  static const TemporaryFolder folder;
  static const std::string path = [] {
    run_task(several(), folder, {"training.validate_translate=greedy"});
    return folder.path("run");
  }();
  return path;
}

std::vector<int32_t> with(int32_t first, std::vector<int32_t> ids) {
  ids.insert(ids.begin(), first);
  return ids;
}

TEST_CASE("a small language pair gets its part of the vocabulary by the temperature") {
  const TemporaryFolder folder;
  std::string large, little;
  for (int i = 0; i < 600; ++i) large += fmt::format("x\t{0:03}-{1:03}\n", i, i * 7 % 600);
  for (int i = 0; i < 6; ++i) little += "y\tabcde fghij klmno\n";
  const std::string corpora =
      fmt::format("data.train=[{{tsv: {}, languages: [a, b]}}, {{tsv: {}, languages: [a, c]}}]",
                  folder.write("large.tsv", large), folder.write("little.tsv", little));
  const auto pieces = [&](const char* temperature) {
    Config config = config_of_task(
        several(), {corpora, "data.validation=[]", "data.test=[]",
                    std::string("data.temperature=") + temperature,
                    "tokenizer.kind=sentencepiece-bpe", "tokenizer.vocabulary_size=80"});
    const Tokenizer tokenizer = make_tokenizers(config).target;
    return std::ssize(tokenizer.encode("abcde fghij klmno"));
  };
  CHECK(pieces("1") > 6);
  CHECK(pieces("1000") == 3);
}

TEST_CASE("pairs cost the mean of two cross-entropies and their difference") {
  const DualCrossEntropy costs(trained(), trained(), {"a", "b"});
  const std::vector<std::string> sources = {"k l m", "k"}, targets = {"m l k", "l l l l"};
  const auto entropy = [&](const LanguageChoice& direction, const std::vector<std::string>& from,
                           const std::vector<std::string>& to, size_t pair) {
    const auto place = [](PairSide, size_t) { return ""; };
    const TranslationRun run = open_translation_run(trained(), direction);
    const SequenceScore score = score_texts(run, from, to, place)[pair];
    return -score.log_probability / static_cast<double>(score.tokens);
  };
  const std::vector<double> all = costs(sources, targets);
  REQUIRE(all.size() == 2);
  for (size_t i = 0; i < all.size(); ++i) {
    const double there = entropy({"a", "b"}, sources, targets, i);
    const double back = entropy({"b", "a"}, targets, sources, i);
    CHECK(all[i] == doctest::Approx(std::max(there, back) * 1.5 - std::min(there, back) * 0.5));
  }
  TemporaryFolder folder;
  const TaskCase& one = *std::ranges::find(all_tasks(), "translation", &TaskCase::name);
  run_task(one, folder, {"training.until=1u"});
  const std::string run = folder.path("run");
  CHECK(message_of([&] { DualCrossEntropy(run, run); }) ==
        fmt::format("{0} translates src-tgt and {0} src-tgt; give runs for the two directions of "
                    "one pair",
                    run));
}

TEST_CASE("a run in several languages opens for a target that it has a token of") {
  CHECK(open_translation_run(trained(), LanguageChoice{"", "c"}).languages ==
        LanguagePair{"a", "c"});
  CHECK(open_translation_run(trained(), LanguageChoice{"", "a"}).languages ==
        LanguagePair{"", "a"});
  CHECK(open_translation_run(trained(), LanguageChoice{"b", "c"}).languages ==
        LanguagePair{"b", "c"});  // no corpus joins them
  const auto refused = [](const LanguageChoice& choice) {
    return message_of([&] { open_translation_run(trained(), choice); }).substr(trained().size());
  };
  CHECK(refused({}) == ": translates into b, a and c; name the target language");
  CHECK(refused({"", "de"}) == ": does not translate into de, but into b, a and c");
  CHECK(refused({"de", "b"}) == ": knows no texts in de, but in a, b and c");
  CHECK(refused({"b", "b"}) == ": from and into b; name two languages");
}

TEST_CASE("a run of one pair takes its own languages, or no choice") {
  const TemporaryFolder folder;
  run(folder, {"training.until=1u", "data.validation=[]"});
  const std::string place = folder.path("run");
  CHECK(open_translation_run(place).languages == LanguagePair{"src", "tgt"});
  CHECK(open_translation_run(place, LanguageChoice{"", "tgt"}).tokenizers.before_source.empty());
  CHECK(message_of([&] {
          open_translation_run(place, LanguageChoice{"", "de"});
        }) == place + ": translates from src into tgt, not from src into de");
}

TEST_CASE("the token of the target language is the first that the model reads of a source") {
  const TranslationRun run = open_translation_run(trained(), LanguageChoice{"", "b"});
  const Tokenizers& both = run.tokenizers;
  const int32_t token = *both.source.find(">>b<<");
  CHECK(both.before_source == std::vector{token});
  const Translator models[] = {run.model()};
  const TranslationOptions options = translation_options(run.config.decoding);
  const std::vector<std::string> texts = {"a b c", "", "b b"};
  const auto found = search_texts(models, both, texts, options);
  const auto plain = translate(models, {with(token, both.source.encode("a b c"))}, options);
  CHECK(found[0].best.front().ids == plain[0].front().ids);
  CHECK(found[0].source == both.source.encode("a b c"));
  CHECK(found[1].best.front().ids.empty());

  const auto place = [](PairSide, size_t) { return std::string("here"); };
  const double score = score_texts(run, {{texts[0]}}, {{texts[2]}}, place)[0].log_probability;
  const auto ids = both.target.encode(texts[2]);
  CHECK(score == score_pairs(run.model(), {with(token, both.source.encode(texts[0]))}, {ids})[0]
                     .log_probability);

  // The word before which the token stands keeps its number.
  const auto links = align_words(run, {both.source.encode("a b c")}, {both.target.encode("c b a")});
  CHECK(links[0].source == std::vector<std::string>{"a", "b", "c"});
  const auto weights = attention_to_sources(run.model(), {both.source.encode("a b c")},
                                            {both.target.encode("c b a")}, both.before_source);
  const auto all = attention_to_sources(run.model(), {with(token, both.source.encode("a b c"))},
                                        {both.target.encode("c b a")});
  REQUIRE(weights[0].columns == 3);
  CHECK(weights[0].values[1] == all[0].values[2]);
}

TEST_CASE("each part of a long source has the token") {
  const TranslationRun run = open_translation_run(trained(), LanguageChoice{"", "a"});
  const Translator models[] = {run.model()};
  TranslationOptions options = translation_options(run.config.decoding);
  limit_sources(run, options);
  CHECK(options.longest_source == 255);  // data.max_length, less the token
  options.longest_source = 3;
  const std::vector<std::string> whole = {"a b c d e"}, parts = {"a b c", "d e"};
  const auto found = search_texts(models, run.tokenizers, whole, options);
  const auto apart = search_texts(models, run.tokenizers, parts, options);
  std::vector<int32_t> ids = apart[0].best.front().ids;
  ids.insert(ids.end(), apart[1].best.front().ids.begin(), apart[1].best.front().ids.end());
  CHECK(found[0].best.front().ids == ids);
}

TEST_CASE("a validation scores each language pair, and BLEU and chrF are the means") {
  const auto folder = std::filesystem::path(trained());
  std::ifstream metrics(folder / "metrics.jsonl");
  nlohmann::json last;
  for (std::string line; std::getline(metrics, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("kind") == "valid") last = record;
  }
  const auto& table = last.at("tables").at(0);
  CHECK(table.at("title") == "Scores by language pair");
  const auto& rows = table.at("rows");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0][0] == "a-b");
  CHECK(rows[0][1] == "12");
  CHECK(rows[1][0] == "c-a");
  CHECK(rows[1][1] == "8");
  CHECK(rows[2][0] == "mean");
  const auto number = [&](size_t row, size_t column) {
    return std::stod(rows[row][column].get<std::string>());
  };
  for (const size_t column : {2, 3}) {
    CHECK(std::abs(number(2, column) - (number(0, column) + number(1, column)) / 2) < 0.0101);
  }
  CHECK(std::abs(last.at("bleu").get<double>() - number(2, 2)) < 0.0051);
  CHECK(std::abs(last.at("chrf").get<double>() - number(2, 3)) < 0.0051);
}

TEST_CASE("the scores of a pair are those of its own sentences, wherever these stand") {
  const ParallelTexts texts{
      .sources = {"1", "2", "3"},
      .references = {"a b c d", "x", "e f g h"},
      .places = {},
      .parts = {{"a-b", ">>b<<", 0, 1}, {"b-a", ">>a<<", 1, 2}, {"a-b", ">>b<<", 2, 3}}};
  const auto pairs = score_pairs_of_languages({"a b c d", "y", "e f g h"}, texts, Config());
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].pair == "a-b");
  CHECK(pairs[0].sentences == 2);
  CHECK(pairs[0].scores.bleu == doctest::Approx(100));
  CHECK(pairs[1].scores.bleu == 0);
  CHECK(mean_bleu(pairs) == doctest::Approx(50));
  CHECK(score_pairs_of_languages({}, {}, Config()).empty());
}

TEST_CASE("training.validate_sentences counts the sentences of each pair") {
  const Config config = config_of_task(several());
  const auto corpora = corpus_sources(config.data.validation, config.data, Split::validation);
  const ParallelTexts texts = read_texts(corpora, 5, config.data);
  REQUIRE(texts.parts.size() == 2);
  CHECK(texts.parts[0].end == 5);
  CHECK(texts.parts[1].end == 10);
  CHECK(texts.parts[1].mark == ">>a<<");
}

TEST_CASE("each direction of a corpus is a corpus, with the columns exchanged") {
  const Config config = config_of_task(several());
  const auto corpora = corpus_sources(config.data.train, config.data, Split::train);
  REQUIRE(corpora.size() == 4);
  std::vector<std::string> pairs;
  for (const CorpusSource& corpus : corpora) pairs.push_back(corpus.pair + " " + corpus.mark);
  CHECK(pairs == std::vector<std::string>{"a-b >>b<<", "b-a >>a<<", "a-c >>c<<", "c-a >>a<<"});
  const Corpus forward(corpora[0]), backward(corpora[1]);
  const auto there = forward.read(7, 1, 1000), back = backward.read(7, 1, 1000);
  CHECK(there.row(0)[0].text == back.row(0)[1].text);
  CHECK(there.row(0)[1].text == back.row(0)[0].text);
}

TEST_CASE("the log tells how often an epoch takes each pair") {
  const TemporaryFolder folder;
  run_task(several(), folder, {"training.until=1u", "data.temperature=1000"});
  CHECK(has_part(folder.read("run/train.log"),
                 "; an epoch has 180 of a-b, 180 of b-a, 180 of a-c, 180 of c-a"));
  run_task(several(), folder, {"training.until=1u", "data.temperature=1"}, "even");
  CHECK(has_part(folder.read("even/train.log"),
                 "; an epoch has 300 of a-b, 300 of b-a, 60 of a-c, 60 of c-a"));
}

TEST_CASE("tokenizer.files must have the tokens of the languages") {
  const TemporaryFolder folder;
  run(folder, {"training.until=1u", "data.validation=[]"});
  const std::string file = folder.path("run/tokenizer.vocab");
  CHECK(message_of([&] { run_task(several(), folder, {"tokenizer.files=" + file}, "several"); }) ==
        "tokenizer.files: " + file + " lacks the token >>b<< of the target language b");
}

TEST_CASE("a run in several languages teaches a run in two of them") {
  const TemporaryFolder folder;
  const std::string pairs = folder.write("pairs.tsv", "a b c\tc b a\nb a\ta b\nc a\ta c\n");
  const std::vector<std::string> settings = {
      "data.train={tsv: " + pairs + "}", "data.validation=[]",
      "data.distill={run: " + trained() + ", beam: 1}", "training.until=1u"};
  CHECK(has_part(message_of([&] { run(folder, settings); }),
                 "translates into b, a and c; name the target language"));
  const std::string prefix = folder.path("p");
  folder.write("p.a", "a b c\nb a\nc a\n");
  folder.write("p.b", "c b a\na b\na c\n");
  std::vector<std::string> named = settings;
  named[0] = "data.train={prefix: " + prefix + ", languages: [a, b]}";
  named.push_back("data.languages=[a, b]");
  const std::string message = message_of([&] { run(folder, named, "student"); });
  const std::string log = folder.read("student/train.log");
  CHECK_MESSAGE(has_part(message + log, ": 3 lines, dropped: "), message, log);
}

}  // namespace
}  // namespace calque
