#include "data/corpora/corpus.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "data/files/gzip_bytes.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "support/message_of.h"

using namespace calque;

namespace {

Row row_of(const Corpus& corpus, int64_t index) {
  const RowBlock block = corpus.read(index, 1, 0);
  Row row;
  for (const Line& line : block.row(0)) {
    require_text(line, corpus.where(index, static_cast<int>(row.size())));
    row.emplace_back(line.text);
  }
  return row;
}

std::vector<Row> rows_of(const CorpusSource& source) {
  const Corpus corpus(source);
  std::vector<Row> rows;
  for (int64_t i = 0; i < corpus.size(); ++i) rows.push_back(row_of(corpus, i));
  return rows;
}

const std::vector<Row> two = {{"a b", "x y"}, {"c", "z"}};

}  // namespace

TEST_CASE("a corpus reads the same from files, gzip, TSV and memory") {
  const TemporaryFolder folder;
  const std::string en = folder.write("t.en", "a b\nc\n");
  const std::string de = folder.write("t.de", "\xEF\xBB\xBFx y\r\nz");
  CHECK(rows_of({AlignedFiles{{en, de}}}) == two);
  CHECK(rows_of({AlignedFiles{{folder.write("t.gz", gzip_bytes("a b\nc\n")), de}}}) == two);
  CHECK(rows_of({TsvFile{folder.write("t.tsv", "a b\tx y\nc\tz\tignored\n")}}) == two);
  CHECK(rows_of({TsvFile{folder.write("u.tsv", "1\tx y\ta b\n2\tz\tc\n"), {3, 2}}}) == two);
  CHECK(rows_of({in_memory("toy", two)}) == two);
  const std::vector<std::pair<std::string, std::string>> plain = {{"a b", "x y"}, {"c", "z"}};
  CHECK(rows_of({in_memory("toy", plain)}) == two);
}

TEST_CASE("a corpus has any number of columns") {
  const TemporaryFolder folder;
  const std::vector<Row> three = {{"a", "b", "c"}, {"d", "e", "f"}};
  const std::string tsv = folder.write("t.tsv", "c\ta\tb\nf\td\te\n");
  const std::string a = folder.write("a", "a\nd\n"), b = folder.write("b", "b\ne\n"),
                    c = folder.write("c", "c\nf\n");
  CHECK(rows_of({AlignedFiles{{a, b, c}}}) == three);
  CHECK(rows_of({TsvFile{tsv, {2, 3, 1}}}) == three);
  CHECK(rows_of({in_memory("toy", three)}) == three);
  CHECK(rows_of({TsvFile{tsv, {3}}}) == std::vector<Row>{{"b"}, {"e"}});
  CHECK(Corpus({AlignedFiles{{a, b, c}}}).where(1, 2) == c + ":2");
  CHECK(name_of({AlignedFiles{{a, b, c}}}) == a + " + " + b + " + " + c);
  const std::string longer = folder.write("longer", "1\n2\n3\n");
  CHECK(message_of([&] {
          Corpus({AlignedFiles{{a, b, longer}}});
        }) == a + " has 2 lines but " + longer + " has 3: " + longer +
                  ":3 is the first without a partner; align the files");
  CHECK_THROWS_AS(Corpus({in_memory("toy", {{"a"}, {"a", "b"}})}), Misuse);
}

TEST_CASE("a prefix and two languages name the files, plain or gzip") {
  const TemporaryFolder folder;
  folder.write("train.en", "a\n");
  folder.write("train.de.gz", gzip_bytes("b\n"));
  const AlignedFiles files = files_of_prefix(folder.path("train"), {"en", "de"});
  CHECK(files.paths[0] == folder.path("train.en"));
  CHECK(files.paths[1] == folder.path("train.de.gz"));
  CHECK(rows_of({files}) == std::vector<Row>{{"a", "b"}});
  CHECK(files_of_prefix(folder.path("none"), {"en", "de"}).paths[0] == folder.path("none.en"));
}

TEST_CASE(
    "the error about unequal line counts names both counts and the first line without a partner") {
  const TemporaryFolder folder;
  const std::string three = folder.write("three", "a\nb\nc\n"), one = folder.write("one", "x\n");
  CHECK(message_of([&] {
          Corpus({AlignedFiles{{three, one}}});
        }) == three + " has 3 lines but " + one + " has 1: " + three +
                  ":2 is the first without a partner; align the files");
  CHECK(message_of([&] {
          Corpus({AlignedFiles{{one, three}}});
        }).find(three + ":2 is the first") != std::string::npos);
}

TEST_CASE("the error about a missing TSV column names the file and the line") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.tsv", "a\tb\nno tab here\n");
  const Corpus corpus({TsvFile{path}});
  CHECK(row_of(corpus, 0) == Row{"a", "b"});
  CHECK(message_of([&] { row_of(corpus, 1); }) ==
        path + ":2: has 1 column(s), but column 2 is needed; columns are separated by tabs");
}

TEST_CASE("the error about invalid UTF-8 names the file, the line and the byte") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good", "a\nb\nc\n");
  const std::string bad = folder.write("bad", std::string("a\nx\xFCz\nq\0\n", 9));
  const Corpus corpus({AlignedFiles{{good, bad}}});
  CHECK(message_of([&] { row_of(corpus, 1); }) ==
        bad + ":2: not valid UTF-8 (byte 2); fix the line or set data.invalid_utf8: skip");
  CHECK(message_of([&] { row_of(corpus, 2); }) ==
        bad + ":3: a NUL (byte 2); fix the line or set data.invalid_utf8: skip");
  CHECK(corpus.where(1, 0) == good + ":2");
}

TEST_CASE("an empty corpus is an error") {
  const TemporaryFolder folder;
  const std::string empty = folder.write("empty", ""), full = folder.write("full", "a\n");
  CHECK(message_of([&] {
          Corpus({AlignedFiles{{full, empty}}});
        }) == empty + ": the file is empty");
  CHECK(message_of([&] { Corpus({in_memory("toy", {})}); }) == "toy: the corpus is empty");
  CHECK(message_of([&] {
          Corpus({AlignedFiles{{full, folder.path("none")}}});
        }) == folder.path("none") + ": no such file; check the path");
}

TEST_CASE(
    "blocks of a corpus are aligned even where one side is far longer or too long to be read") {
  const TemporaryFolder folder;
  std::string source, target;
  for (int i = 0; i < 200; ++i) {
    source += std::to_string(i) + "\n";
    target += i == 150 ? std::string(3 << 20, 'x') : std::to_string(i) + std::string(i * 10, 'x');
    target += "\n";
  }
  const Corpus corpus({AlignedFiles{{folder.write("s", source), folder.write("t", target)}}});
  int64_t next = 0;
  while (next < corpus.size()) {
    const RowBlock block = corpus.read(next, 64, 5000);
    for (int64_t i = 0; i < block.rows(); ++i) {
      const Line &own = block.row(i)[0], &other = block.row(i)[1];
      CHECK(own.text == std::to_string(next));
      CHECK(other.too_long == (next == 150));
      if (next != 150) CHECK(other.text.starts_with(own.text));
      ++next;
    }
  }
  CHECK(next == 200);
}

TEST_CASE("the hash of a corpus depends on its content, not on its path") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "1\n2\n"), b = folder.write("b", "1\n2\n");
  const std::string c = folder.write("c", "1\n3\n");
  CHECK(content_hash({AlignedFiles{{a, c}}}) == content_hash({AlignedFiles{{b, c}}}));
  CHECK(content_hash({AlignedFiles{{a, c}}}) != content_hash({AlignedFiles{{c, a}}}));
  CHECK(content_hash({in_memory("x", two)}) == content_hash({in_memory("y", two)}));
  CHECK(content_hash({in_memory("x", {{"ab", "c"}})}) !=
        content_hash({in_memory("x", {{"a", "bc"}})}));
}

TEST_CASE(
    "a sample of texts has the given number of whole pairs, in order, and depends on the seed") {
  std::vector<Row> pairs;
  for (int i = 0; i < 1000; ++i) pairs.push_back({std::to_string(i), "t" + std::to_string(i)});
  std::vector<Corpus> corpora;
  corpora.emplace_back(CorpusSource{in_memory("one", pairs)});
  corpora.emplace_back(CorpusSource{in_memory("two", pairs)});
  const std::vector<int> both = {0, 1};
  const auto sample = sample_texts(corpora, both, 100, 7);
  REQUIRE(sample.size() == 200);
  for (size_t i = 0; i < sample.size(); i += 2) CHECK("t" + sample[i] == sample[i + 1]);
  int falls = 0;
  for (size_t i = 2; i < sample.size(); i += 2) {
    if (std::stoi(sample[i]) <= std::stoi(sample[i - 2])) ++falls;
  }
  CHECK(falls == 1);  // from the first corpus to the second
  CHECK(sample == sample_texts(corpora, both, 100, 7));
  CHECK(sample != sample_texts(corpora, both, 100, 8));
  CHECK(sample_texts(corpora, {0}, 5000, 7).size() == 2000);
}

TEST_CASE("a corpus is turned around, whatever it is read from") {
  const TemporaryFolder folder;
  const std::vector<Row> around = {{"x y", "a b"}, {"z", "c"}};
  const std::string en = folder.write("t.en", "a b\nc\n"), de = folder.write("t.de", "x y\nz\n");
  const std::string tsv = folder.write("t.tsv", "a b\tx y\nc\tz\n");
  const std::string po =
      folder.write("t.po", "msgid \"a b\"\nmsgstr \"x y\"\n\nmsgid \"c\"\nmsgstr \"z\"\n");
  const CorpusSource sources[] = {{AlignedFiles{{en, de}}},
                                  {TsvFile{tsv}},
                                  {FileOfPairs{po, {"en", "de"}}},
                                  {in_memory("toy", two)}};
  for (const CorpusSource& source : sources) {
    CHECK(rows_of(source) == two);
    CHECK(rows_of(turned(source)) == around);
    CHECK(rows_of(turned(turned(source))) == two);
    CHECK(content_hash(turned(source)) != content_hash(source));
  }
}
