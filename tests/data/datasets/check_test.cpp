#include "data/datasets/check.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "data/corpora/small_corpus.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"

using namespace calque;

namespace {

CheckReport check(const std::vector<SplitSource>& splits, const FilterOptions& filters = {}) {
  const Tokenizer words = train_tokenizer(small_texts(), {.kind = TokenizerKind::words}, {});
  return check_corpora(splits, words, words, filters);
}

CheckReport check(const std::vector<Row>& pairs) {
  return check({{"train", {{in_memory("toy", pairs)}}}});
}

std::vector<Row> swapped(std::vector<Row> pairs) {
  for (Row& pair : pairs) std::swap(pair[0], pair[1]);
  return pairs;
}

bool suspects(const CheckReport& report, const std::string& text) {
  INFO(to_text(report));
  CHECK(report.suspicions.size() == 1);
  CHECK_FALSE(report.sound());
  return !report.suspicions.empty() && report.suspicions[0].find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the check counts lines, tokens, lengths and dropped pairs") {
  const std::vector<Row> pairs = {{"a dog", "ein Hund"},
                                  {"a cat", "eine Katze"},
                                  {"", "ein"},
                                  {"a", "ein ein ein ein ein ein"}};
  const CheckReport report = check(pairs);
  REQUIRE(report.splits.size() == 1);
  const SplitReport& split = report.splits[0];
  CHECK(split.lines == 4);
  CHECK(split.kept == 3);
  CHECK(split.drops.of(Drop::empty).first == "toy:3");
  CHECK(split.source.tokens == 5);
  CHECK(split.source.unknown == 1);
  CHECK(split.target.tokens == 10);
  CHECK(split.target.unknown == 2);
  CHECK(split.target.longest == 6);
  CHECK(split.target.lengths[0] == 2);
  CHECK(split.target.lengths[1] == 1);
  CHECK(report.sound());
  const std::string text = to_text(report);
  CHECK(text.starts_with("train: 4 lines, 3 pairs kept\n  dropped: 1 with an empty side"));
  CHECK(text.ends_with("no problems found\n"));
}

TEST_CASE("ordinary data is sound") {
  const CheckReport report = check({{"train", {{in_memory("train", small_pairs(500, 1))}}},
                                    {"test", {{in_memory("test", small_pairs(60, 2, 40))}}}});
  INFO(to_text(report));
  CHECK(report.sound());
  CHECK(report.splits[0].length_correlation > 0.8);
  for (const SplitReport& split : report.splits) CHECK(split.findings.empty());
}

TEST_CASE("equal sides are suspected") {
  std::vector<Row> pairs = small_pairs(100);
  for (Row& pair : pairs) pair[1] = pair[0];
  CHECK(suspects(check(pairs), "equal in 100.0% of the pairs"));
}

TEST_CASE("shifted lines are suspected, because their lengths do not correlate") {
  std::vector<Row> pairs = small_pairs(2000, 1, 40);
  const std::string first = pairs.front()[1];
  for (size_t i = 0; i + 1 < pairs.size(); ++i) pairs[i][1] = pairs[i + 1][1];
  pairs.back()[1] = first;
  CHECK(suspects(check(pairs), "are the lines shifted?"));
}

TEST_CASE("the same language on both sides is suspected") {
  std::vector<Row> pairs = small_pairs(500);
  for (Row& pair : pairs) pair[1] = "and " + pair[0];
  CHECK(suspects(check(pairs), "are they in one language?"));
}

TEST_CASE("lines with a NUL are counted apart from lines that are not UTF-8") {
  const std::string nul("a\0b", 3);
  const CheckReport report = check({{nul, "x"}, {"\xFF", "x"}, {"a", nul}, {"a", "b"}});
  CHECK(report.splits[0].nuls.count == 2);
  CHECK(report.splits[0].invalid.count == 1);
  REQUIRE(report.problems.size() == 2);
  CHECK(report.problems[0].starts_with("train: 1 lines are not valid UTF-8 (first: toy:2)"));
  CHECK(report.problems[1].starts_with("train: 2 lines have a NUL (first: toy:1, toy:3)"));
}

TEST_CASE("a few bad pairs of each kind are found, with their first places") {
  std::vector<Row> pairs = small_pairs(2900, 1, 40);
  for (size_t i = 0; i < 20; ++i) {
    std::swap(pairs[100 + 7 * i][0], pairs[100 + 7 * i][1]);
    pairs[400 + 7 * i][1] = "\u043a\u043e\u0442 \u0438 \u043f\u0451\u0441";
    pairs[700 + 7 * i][0] = "<b>" + pairs[700 + 7 * i][0] + "</b>";
    pairs[1000 + 7 * i][1] += " f\u00c3\u00bcr";
  }
  for (size_t i = 2000; i < 2050; ++i) pairs[i][1] = pairs[i + 1][1];
  const CheckReport report = check(pairs);
  const std::string text = to_text(report);
  INFO(text);
  const auto count = [&](const std::string& what) -> int64_t {
    for (const Finding& finding : report.splits[0].findings) {
      if (finding.what.starts_with(what)) return finding.seen.count;
    }
    return 0;
  };
  CHECK(count("pairs with swapped sides") == 20);
  CHECK(count("target lines in another script than Latin") == 20);
  CHECK(count("lines with HTML") == 20);
  CHECK(count("lines with broken characters") == 20);
  CHECK(count("pairs that may be shifted") >= 40);
  CHECK(count("pairs that may be shifted") <= 120);
  CHECK(text.find("swapped sides (first: toy:101, toy:108, toy:115)") != std::string::npos);
  CHECK(text.find("than Latin (first: toy:401, toy:408, toy:415)") != std::string::npos);
  CHECK(text.find("suspicion: train: 20 lines with HTML") != std::string::npos);
}

TEST_CASE("swapped sides of a test set are suspected") {
  const CheckReport report =
      check({{"train", {{in_memory("train", small_pairs(500, 1))}}},
             {"test", {{in_memory("test", swapped(small_pairs(60, 2, 40)))}}}});
  CHECK(suspects(report, "test: source and target look swapped"));
}

TEST_CASE("test sentences that are in the training data are counted and suspected") {
  const CheckReport report = check({{"train", {{in_memory("train", small_pairs(500, 1, 40))}}},
                                    {"test", {{in_memory("test", small_pairs(100, 1, 40))}}}});
  CHECK(report.splits[1].pairs_in_training == 100);
  CHECK(report.splits[1].sources_in_training == 100);
  CHECK(suspects(report, "test: 100.0% of the pairs are in the training data"));
}

TEST_CASE("many unknown tokens are suspected") {
  std::vector<Row> pairs = small_pairs(100);
  for (Row& pair : pairs) pair[1] = "quite other " + pair[1];
  CHECK(suspects(check(pairs), "of the target tokens are unknown"));
}

TEST_CASE("a split that would stop a run is a problem, and the other splits are still examined") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good", "a\nb\n"), bad = folder.write("bad", "x\n\xFF\n");
  const std::string missing = folder.path("missing");
  const CheckReport report = check({{"train", {{AlignedFiles{{good, missing}}}}},
                                    {"validation", {{AlignedFiles{{good, bad}}}}},
                                    {"test", {{in_memory("none", {{"", "a"}})}}}});
  REQUIRE(report.problems.size() == 3);
  CHECK(report.problems[0] == missing + ": no such file; check the path");
  CHECK(report.problems[1] == "validation: 1 lines are not valid UTF-8 (first: " + bad +
                                  ":2); fix them or set data.invalid_utf8: skip");
  CHECK(report.problems[2].starts_with("test: nothing is left after filtering"));
  CHECK(report.splits.size() == 2);
  CHECK_FALSE(report.sound());
}

TEST_CASE("repeated pairs are counted, or dropped by the filter drop_duplicates") {
  const std::vector<Row> pairs = {{"a", "b"}, {"a", "b"}, {"a", "c"}, {"c", "c"}};
  const CheckReport counted = check(pairs);
  CHECK(counted.splits[0].repeated.count == 1);
  const std::string text = to_text(counted);
  CHECK(text.find("1 pairs with equal sides (first: toy:4)") != std::string::npos);
  CHECK(text.find("1 repeated pairs (first: toy:2); data.drop_duplicates: true drops them") !=
        std::string::npos);
  const CheckReport report =
      check({{"train", {{in_memory("toy", pairs)}}}}, {.drop_duplicates = true});
  CHECK(report.splits[0].kept == 3);
  CHECK(report.splits[0].drops.of(Drop::duplicate).first == "toy:2");
}
