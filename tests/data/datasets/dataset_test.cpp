#include "data/datasets/dataset.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/corpora/small_corpus.h"
#include "data/files/file.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "support/message_of.h"
#include "support/threads.h"

using namespace calque;

namespace {

const Tokenizer& words() {
  static const Tokenizer tokenizer =
      train_tokenizer(small_texts(), {.kind = TokenizerKind::words}, {});
  return tokenizer;
}

Dataset load(const std::vector<CorpusSource>& corpora, const DatasetOptions& options = {}) {
  return load_dataset(corpora, {words(), words()}, options);
}

void check_same(const Dataset& a, const Dataset& b) {
  REQUIRE(a.examples() == b.examples());
  CHECK(a.drops == b.drops);
  CHECK(a.sizes == b.sizes);
  CHECK(a.lines() == b.lines());
  Example left, right;
  for (int64_t i = 0; i < a.examples(); ++i) {
    a.tokens->read(i, left);
    b.tokens->read(i, right);
    CHECK(left == right);
    CHECK(a.tokens->line(i) == b.tokens->line(i));
  }
}

}  // namespace

TEST_CASE("a dataset holds the ids of every pair, in order") {
  const auto pairs = small_pairs();
  const Dataset dataset = load({{in_memory("toy", pairs)}});
  REQUIRE(dataset.examples() == std::ssize(pairs));
  CHECK(dataset.drops.total() == 0);
  Example tokens;
  for (int64_t i = 0; i < dataset.examples(); ++i) {
    dataset.tokens->read(i, tokens);
    CHECK(tokens[0] == words().encode(pairs[i][0]));
    CHECK(tokens[1] == words().encode(pairs[i][1]));
    CHECK(dataset.tokens->length(i, 0) == std::ssize(tokens[0]));
    CHECK(dataset.tokens->length(i, 1) == std::ssize(tokens[1]));
    CHECK(dataset.tokens->line(i) == i);
  }
}

TEST_CASE("each filter drops its pairs, counts them and names the location of the first") {
  const std::vector<Row> pairs = {{"a dog", "ein Hund"},
                                  {"", "ein"},
                                  {"a", ""},
                                  {"a", " \t "},
                                  {"a a a a", "ein"},
                                  {"a", "b"},
                                  {"a a a a a", "ein ein ein ein ein"},
                                  {"a dog", "ein Hund"},
                                  {"a", "b"}};
  const FilterOptions filters{.max_length = 4, .max_length_ratio = 3, .drop_duplicates = true};
  const Dataset dataset = load({{in_memory("toy", pairs)}}, {.filters = filters});
  CHECK(dataset.examples() == 2);
  CHECK(dataset.tokens->line(0) == 0);
  CHECK(dataset.tokens->line(1) == 5);
  CHECK(dataset.drops.of(Drop::empty).count == 3);
  CHECK(dataset.drops.of(Drop::empty).first == "toy:2");
  CHECK(dataset.drops.of(Drop::ratio).count == 1);
  CHECK(dataset.drops.of(Drop::too_long).count == 1);
  CHECK(dataset.drops.of(Drop::duplicate).count == 2);
  CHECK(dataset.drops.text() ==
        "3 with an empty side (first: toy:2), 1 too long (first: toy:7), 1 of too unequal a length "
        "(first: toy:5), 2 seen before (first: toy:8)");
}

TEST_CASE("the location of a dropped pair names the file of the offending column") {
  const TemporaryFolder folder;
  const std::string en = folder.write("t.en", "a\na\na a a a a a\n");
  const std::string de = folder.write("t.de", "ein\n\nein\n");
  const Dataset dataset = load({{AlignedFiles{{en, de}}}}, {.filters = {.max_length = 4}});
  CHECK(dataset.drops.of(Drop::empty).first == de + ":2");
  CHECK(dataset.drops.of(Drop::too_long).first == en + ":3");
}

TEST_CASE("without a maximum length long pairs are kept") {
  const Dataset dataset = load({{in_memory("toy", {{"a a a a a a", "ein"}, {"a", "ein"}})}},
                               {.filters = {.max_length = 0}});
  CHECK(dataset.examples() == 2);
}

TEST_CASE("the error about a corpus without remaining pairs reports why they were dropped") {
  CHECK(message_of([] {
          load({{in_memory("toy", {{"a", ""}, {"", "b"}})}});
        }) == "toy: none of 2 pairs is left after filtering: 2 with an empty side (first: toy:1)");
}

TEST_CASE("text that is not UTF-8 is an error, or skipped and counted") {
  const TemporaryFolder folder;
  const std::string bad = folder.write("bad", "a\nx\xFCz\na\n");
  const std::string good = folder.write("good", "a\nb\nc\n");
  const std::vector<CorpusSource> corpora = {{AlignedFiles{{good, bad}}}};
  CHECK(message_of([&] { load(corpora); }) ==
        bad + ":2: not valid UTF-8 (byte 2); fix the line or set data.invalid_utf8: skip");
  const Dataset dataset = load(corpora, {.filters = {.invalid = InvalidText::skip}});
  CHECK(dataset.examples() == 2);
  CHECK(dataset.drops.of(Drop::invalid).count == 1);
  CHECK(dataset.drops.of(Drop::invalid).first == bad + ":2");
}

TEST_CASE("a skipped line with a NUL is counted apart from text that is not UTF-8") {
  const std::vector<CorpusSource> corpora = {
      {in_memory("toy", {{std::string("a\0b", 3), "b"}, {"a", "\xFC"}, {"a", "b"}})}};
  const Dataset dataset = load(corpora, {.filters = {.invalid = InvalidText::skip}});
  CHECK(dataset.examples() == 1);
  CHECK(dataset.drops.text() == "1 not valid UTF-8 (first: toy:2), 1 with a NUL (first: toy:1)");
}

TEST_CASE("a line of 10 MB is dropped as too long and the rest is read") {
  const TemporaryFolder folder;
  const std::string en = folder.write("t.en", "a\n" + std::string(10 << 20, 'a') + "\na dog\n");
  const std::string de = folder.write("t.de", "ein\nein\nein Hund\n");
  for (const Dataset& dataset :
       {load({{AlignedFiles{{en, de}}}}), load({{AlignedFiles{{de, en}}}})}) {
    CHECK(dataset.examples() == 2);
    CHECK(dataset.drops.of(Drop::too_long).count == 1);
    CHECK(dataset.drops.of(Drop::too_long).first == en + ":2");
  }
}

TEST_CASE("the first bad line is reported, whichever thread finds it") {
  std::vector<Row> pairs = small_pairs(5000);
  for (int i = 1234; i < 5000; ++i) pairs[i][1] = "\xFF";
  CHECK(message_of([&] { load({{in_memory("toy", pairs)}}); }).starts_with("toy:1235: "));
}

TEST_CASE("the first bad line is reported, even if a later chunk fails sooner") {
  const Threads as_before;
  set_threads(2);
  std::vector<Row> pairs(4096, Row{"a", "ein"});
  for (size_t i = 0; i < 2048; ++i) {
    for (int n = 0; n < 200; ++n) pairs[i][0] += " a";
  }
  pairs[2040][1] = "\xFF";  // late in the first thread's share, after much text
  for (size_t i = 2048; i < 4096; ++i) pairs[i][1] = "\xFF";
  for (int trial = 0; trial < 5; ++trial) {
    CHECK(message_of([&] { load({{in_memory("toy", pairs)}}); }).starts_with("toy:2041: "));
  }
}

TEST_CASE("corpora, datasets and samples have the recorded hashes") {
  // A run refuses to resume with another hash.
  const TemporaryFolder folder;
  const Tokenizer characters =
      train_tokenizer(small_texts(), {.kind = TokenizerKind::characters}, {});
  const CorpusSource memory{in_memory("toy", small_pairs(50))};
  const CorpusSource files{AlignedFiles{
      {folder.write("t.en", "a dog\nThe house\n"), folder.write("t.de", "ein Hund\nDie Haus\n")}}};
  const CorpusSource tsv{
      TsvFile{folder.write("t.tsv", "ein Hund\tx\ta dog\nDie Haus\ty\tThe house\n"), {3, 1}}};
  CHECK(content_hash(memory) == 0x9f77edb0437c89a9);
  CHECK(content_hash(files) == 0x97fee873cf9afc73);
  CHECK(content_hash(tsv) == 0x6bb2fc5273f46976);
  CHECK(load_dataset({memory}, {words(), characters}, {}).hash == 0xbea9bc595db0d065);
  const FilterOptions filters{.max_length = 20,
                              .max_length_ratio = 3,
                              .drop_duplicates = true,
                              .invalid = InvalidText::skip};
  CHECK(load_dataset({memory, files, tsv}, {words(), characters}, {.filters = filters}).hash ==
        0xe119c5dd0008ed5a);
  std::vector<Corpus> corpora;
  corpora.emplace_back(memory);
  corpora.emplace_back(tsv);
  ContentHash sample;
  for (const std::string& text : sample_texts(corpora, {0, 1}, 20, 7)) sample.add_text(text);
  CHECK(sample.value() == 0xb6b6082476763ea4);
}

TEST_CASE("a dataset has as many columns as its corpora, and every column is filtered") {
  const std::vector<Row> rows = {{"a dog", "ein Hund", "a"},        {"a", "ein", ""},
                                 {"a", "ein ein ein ein ein", "a"}, {"a", "ein", "a a a"},
                                 {"a dog", "ein Hund", "a"},        {"a dog", "ein Hund", "dog"}};
  const FilterOptions filters{.max_length = 4, .max_length_ratio = 2, .drop_duplicates = true};
  const Dataset dataset =
      load_dataset({{in_memory("toy", rows)}}, {words(), words(), words()}, {.filters = filters});
  REQUIRE(dataset.examples() == 2);
  Example example;
  dataset.tokens->read(1, example);
  CHECK(example ==
        Example{words().encode("a dog"), words().encode("ein Hund"), words().encode("dog")});
  CHECK(dataset.drops.total() == 4);
  CHECK(dataset.drops.of(Drop::empty).first == "toy:2");
  CHECK(dataset.drops.of(Drop::too_long).first == "toy:3");
  CHECK(dataset.drops.of(Drop::ratio).first == "toy:4");
  CHECK(dataset.drops.of(Drop::duplicate).first == "toy:5");
  CHECK(dataset.where(5) == "toy, row 6");
  CHECK(dataset.sizes == std::vector<TextSize>{{10, 10}, {16, 16}, {4, 4}});
  CHECK_THROWS_AS(load({{in_memory("toy", rows)}}), Misuse);
}

TEST_CASE("lines are numbered across all corpora, and each line has a location") {
  const auto pairs = small_pairs(10);
  std::vector<Row> holes = {{"a", "ein"}, {"", ""}, {"a dog", "ein Hund"}};
  const Dataset dataset =
      load({{in_memory("first", holes), {2.0}}, {in_memory("second", pairs), {0.5}}});
  REQUIRE(dataset.parts.size() == 2);
  CHECK(dataset.parts[0].examples == 2);
  CHECK(dataset.parts[0].lines == 3);
  CHECK(dataset.parts[0].share.weight == 2.0);
  CHECK(dataset.parts[1].first_example == 2);
  CHECK(dataset.parts[1].first_line == 3);
  CHECK(dataset.lines() == 13);
  CHECK(dataset.where(dataset.tokens->line(1)) == "first, pair 3");
  CHECK(dataset.where(dataset.tokens->line(2)) == "second, pair 1");
  CHECK(dataset.where({5, 0, 2, 3}) == "first, pairs 1, 3; second, pairs 1, 3");
  CHECK(dataset.where({2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) ==
        "first, pair 3; second, pairs 1, 2, 3, 4, 5, 6, 7 and 2 more");
  CHECK(message_of([&] {
          load({{in_memory("none", pairs), {0.0}}});
        }) == "none: the weight 0 is not above 0");
}

TEST_CASE(
    "a dataset is the same in memory, when it is cached, and when it is read from the cache") {
  const TemporaryFolder folder;
  auto pairs = small_pairs(3000);
  pairs[17][0].clear();
  const std::vector<CorpusSource> corpora = {{in_memory("toy", pairs)},
                                             {in_memory("b", {{"a", "b"}})}};
  const DatasetOptions options{.cache_folder = folder.path("cache")};
  const Dataset in_place = load(corpora);
  const Dataset made = load(corpora, options), found = load(corpora, options);
  CHECK_FALSE(made.from_cache);
  CHECK(found.from_cache);
  CHECK(made.hash == found.hash);
  check_same(in_place, made);
  check_same(in_place, found);
  CHECK(found.drops.of(Drop::empty).first == "toy:18");
}

TEST_CASE("if the cache cannot be written, the ids stay in memory and the reason is reported") {
  const TemporaryFolder folder;
  const std::vector<CorpusSource> corpora = {
      {AlignedFiles{{folder.write("s", "a b\nc\n"), folder.write("t", "x y\nz\n")}}, {1}}};
  const std::string blocked = folder.write("file", "") + "/cache";  // a file is no folder
  const Dataset dataset = load(corpora, {.cache_folder = blocked});
  CHECK(dataset.examples() == 2);
  CHECK(dataset.cache_problem.starts_with(blocked));
  CHECK(load(corpora, {.cache_folder = folder.path("cache")}).cache_problem.empty());
}

TEST_CASE("unfinished files of killed processes are removed from the cache") {
  const TemporaryFolder folder;
  const std::vector<CorpusSource> corpora = {{in_memory("toy", small_pairs(50))}};
  const DatasetOptions options{.cache_folder = folder.path("cache")};
  load(corpora, options);
  folder.write("cache/tokens-0123456789abcdef.bin.new-a1B2c3", "half");
  folder.write("cache/notes", "somebody's own");
  CHECK(load(corpora, options).from_cache);
  CHECK(std::distance(std::filesystem::directory_iterator(options.cache_folder), {}) == 2);
  CHECK(folder.read("cache/notes") == "somebody's own");
}

TEST_CASE("a file of the cache that is still being written is not removed") {
  const TemporaryFolder folder;
  const std::vector<CorpusSource> corpora = {{in_memory("toy", small_pairs(50))}};
  const DatasetOptions options{.cache_folder = folder.path("cache")};
  load(corpora, options);
  NewFile other(folder.path("cache/tokens-0123456789abcdef.bin"));
  other.append("whole");
  CHECK(load(corpora, options).from_cache);
  other.finish();
  CHECK(folder.read("cache/tokens-0123456789abcdef.bin") == "whole");
}

TEST_CASE("whatever changes the ids changes the cache file, and weights do not") {
  const TemporaryFolder folder;
  const std::vector<CorpusSource> corpora = {{in_memory("toy", small_pairs(50))}};
  const std::string cache = folder.path("cache");
  std::set<uint64_t> hashes;
  const auto add = [&](const Dataset& dataset) {
    CHECK_FALSE(dataset.from_cache);
    hashes.insert(dataset.hash);
  };
  add(load(corpora, {.cache_folder = cache}));
  add(load(corpora, {.filters = {.max_length = 5}, .cache_folder = cache}));
  add(load(corpora, {.filters = {.max_length_ratio = 2}, .cache_folder = cache}));
  add(load(corpora, {.filters = {.drop_duplicates = true}, .cache_folder = cache}));
  add(load({{in_memory("toy", small_pairs(51))}}, {.cache_folder = cache}));
  const Tokenizer other = train_tokenizer(small_texts(), {.kind = TokenizerKind::characters}, {});
  add(load_dataset(corpora, {other, other}, {.cache_folder = cache}));
  CHECK(hashes.size() == 6);
  // Weights do not change the ids.
  std::vector<CorpusSource> weighted = corpora;
  weighted[0].share.weight = 3;
  const Dataset again = load(weighted, {.cache_folder = cache});
  CHECK(again.from_cache);
  CHECK(again.parts[0].share.weight == 3);
}

TEST_CASE("a damaged cache is rebuilt, whichever byte is wrong or missing") {
  const TemporaryFolder folder;
  const std::vector<CorpusSource> corpora = {{in_memory("toy", small_pairs(3, 1, 4))}};
  const DatasetOptions options{.cache_folder = folder.path("cache")};
  const Dataset good = load(corpora, options);
  std::string name;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("cache"))) {
    name = "cache/" + entry.path().filename().string();
  }
  const std::string bytes = folder.read(name);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    folder.write(name, damaged);
    CHECK_FALSE(load(corpora, options).from_cache);
    folder.write(name, bytes.substr(0, i));
    CHECK_FALSE(load(corpora, options).from_cache);
  }
  check_same(load(corpora, options), good);
  CHECK(folder.files() == 2);
}

TEST_CASE("if writing the cache fails halfway, the ids stay in memory and no file is left") {
  const TemporaryFolder folder;
  const std::vector<CorpusSource> corpora = {{in_memory("toy", small_pairs(2000))}};
  struct rlimit before {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 4096;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Dataset dataset = load(corpora, {.cache_folder = folder.path("cache")});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  INFO(dataset.cache_problem);
  CHECK(dataset.cache_problem.find("cannot write") != std::string::npos);
  check_same(load(corpora), dataset);
  CHECK(folder.files() == 1);  // the folder itself
}

TEST_CASE("the mark of a corpus precedes each source, and an empty source stays empty") {
  const Tokenizer marked = train_tokenizer(small_texts(), {.kind = TokenizerKind::words},
                                           {.marks = {">>de<<", ">>fr<<"}});
  const std::vector<Row> rows = {{"a dog", "ein Hund"}, {"", "ein"}, {"a", "ein"}};
  const TemporaryFolder folder;
  const auto dataset_of = [&](const std::string& mark) {
    CorpusSource corpus{in_memory("toy", rows)};
    corpus.pair = "en-de";
    corpus.mark = mark;
    return load_dataset({corpus}, {marked, marked}, {.cache_folder = folder.path("cache")});
  };
  const Dataset german = dataset_of(">>de<<"), french = dataset_of(">>fr<<"),
                plain = dataset_of("");
  CHECK_FALSE(french.from_cache);
  CHECK_FALSE(plain.from_cache);
  CHECK(dataset_of(">>fr<<").from_cache);
  CHECK(dataset_of(">>fr<<").parts[0].pair == "en-de");
  REQUIRE(german.examples() == 2);
  CHECK(german.drops.of(Drop::empty).count == 1);
  for (int64_t i = 0; i < 2; ++i) {
    Example de, fr, none;
    german.tokens->read(i, de);
    french.tokens->read(i, fr);
    plain.tokens->read(i, none);
    CHECK(de[0].front() == *marked.find(">>de<<"));
    CHECK(fr[0].front() == *marked.find(">>fr<<"));
    CHECK(std::vector(de[0].begin() + 1, de[0].end()) == none[0]);
    CHECK(de[1] == none[1]);
  }
  CHECK(message_of([&] { dataset_of(">>it<<"); }) == "toy: the tokenizer lacks the token >>it<<");
}
