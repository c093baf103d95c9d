#include "data/datasets/token_store.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "data/temporary_folder.h"

using namespace calque;

namespace {

void append(TokenWriter& writer, const Example& example, int64_t line) {
  const std::vector<std::span<const int32_t>> columns(example.begin(), example.end());
  writer.append(columns, line);
}

std::vector<Example> random_examples(int columns, int32_t vocabulary) {
  Random random({.seed = 3, .part = static_cast<uint32_t>(columns)});
  std::vector<Example> examples(50, Example(static_cast<size_t>(columns)));
  for (Example& example : examples) {
    for (std::vector<int32_t>& ids : example) {
      ids.resize(random.below(20));
      for (int32_t& id : ids) {
        id = static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary)));
      }
    }
  }
  return examples;
}

void check_same(const TokenStore& store, const std::vector<Example>& examples) {
  REQUIRE(store.count() == std::ssize(examples));
  Example read;
  std::vector<int32_t> slice;
  for (int64_t i = 0; i < store.count(); ++i) {
    const Example& expected = examples[static_cast<size_t>(i)];
    store.read(i, read);
    CHECK(read == expected);
    CHECK(store.line(i) == 7 * i);
    for (int column = 0; column < store.columns(); ++column) {
      const std::vector<int32_t>& ids = expected[static_cast<size_t>(column)];
      CHECK(store.length(i, column) == std::ssize(ids));
      for (int64_t begin = 0; begin <= std::ssize(ids); begin += 3) {
        const int64_t count = (std::ssize(ids) - begin) / 2;
        store.read_slice(i, column, begin, count, slice);
        CHECK(slice == std::vector<int32_t>(ids.begin() + begin, ids.begin() + begin + count));
      }
      CHECK_THROWS_AS(store.read_slice(i, column, 1, std::ssize(ids), slice), Misuse);
    }
  }
}

}  // namespace

TEST_CASE("examples of any number of columns are read as they were written, whole or in slices") {
  const TemporaryFolder folder;
  for (const int columns : {1, 2, 5}) {
    for (const int32_t vocabulary : {100, 100'000}) {  // 2 and 4 bytes per id
      const std::vector<Example> examples = random_examples(columns, vocabulary);
      TokenWriter memory(columns, vocabulary), file(columns, vocabulary, folder.path("t"), 9);
      for (size_t i = 0; i < examples.size(); ++i) {
        append(memory, examples[i], static_cast<int64_t>(7 * i));
        append(file, examples[i], static_cast<int64_t>(7 * i));
      }
      check_same(memory.finish(""), examples);
      check_same(file.finish("notes"), examples);
      const auto loaded = load_token_file(folder.path("t"), 9, columns, vocabulary);
      REQUIRE(loaded);
      CHECK(loaded->notes == "notes");
      check_same(loaded->store, examples);
    }
  }
}

TEST_CASE("a token file of another key, column count, vocabulary, size or format is not loaded") {
  const TemporaryFolder folder;
  const std::string path = folder.path("t");
  TokenWriter writer(2, 50, path, 9);
  append(writer, {{3, 4}, {49}}, 0);
  writer.finish("");
  CHECK(load_token_file(path, 9, 2, 50));
  CHECK_FALSE(load_token_file(path, 8, 2, 50));
  CHECK_FALSE(load_token_file(path, 9, 1, 50));
  CHECK_FALSE(load_token_file(path, 9, 3, 50));
  CHECK_FALSE(load_token_file(path, 9, 2, 49));
  CHECK_FALSE(load_token_file(folder.path("none"), 9, 2, 50));
  std::string bytes = folder.read("t");
  REQUIRE(bytes.starts_with("calque tokens 2\n"));
  // 2^62 more examples have the same size modulo 2^64; the last byte of their number is byte 47.
  bytes[47] = 0x40;
  folder.write("t", bytes);
  CHECK_FALSE(load_token_file(path, 9, 2, 50));
  bytes[47] = 0;
  bytes[14] = '1';
  folder.write("t", bytes);
  CHECK_FALSE(load_token_file(path, 9, 2, 50));
}

TEST_CASE("an example with another number of columns is refused") {
  TokenWriter writer(2, 50);
  CHECK_THROWS_AS(append(writer, {{3}}, 0), Misuse);
  CHECK_THROWS_AS(TokenWriter(0, 50), Misuse);
}
