// Files of word vectors, whole and malformed.
#include "data/words/vectors.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "data/files/gzip_bytes.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"

using namespace calque;

namespace {

using Vectors = std::vector<std::pair<std::string, std::vector<float>>>;

Vectors vectors_of(const std::string& path) {
  Vectors all;
  const WordVectorFile file(path);
  file.read([&](std::string_view word, std::span<const float> vector) {
    CHECK(std::ssize(vector) == file.dimension());
    all.emplace_back(word, std::vector(vector.begin(), vector.end()));
  });
  return all;
}

const Vectors two = {{"the", {0.5F, -1, 2e-3F}}, {"king", {1, 0, -0.25F}}};

// The binary format: a header, and `between` after each vector.
std::string binary(const Vectors& vectors, const std::string& header, const std::string& between) {
  std::string bytes = header;
  for (const auto& [word, vector] : vectors) {
    bytes += word + ' ';
    bytes.append(reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float));
    bytes += between;
  }
  return bytes;
}

}  // namespace

TEST_CASE("word2vec, fastText and GloVe text have the same vectors, with or without a header") {
  const TemporaryFolder folder;
  const std::string rows = "the 0.5 -1 0.002\nking 1.0 0 -.25\n";
  CHECK(vectors_of(folder.write("glove", rows)) == two);
  CHECK(vectors_of(folder.write("header", "2 3\n" + rows)) == two);
  CHECK(vectors_of(folder.write("gz", gzip_bytes("2 3\n" + rows))) == two);
  CHECK(vectors_of(folder.write("bom", "\xEF\xBB\xBF" + rows)) == two);
  CHECK(vectors_of(folder.write("spaces", "2 3 \nthe 0.5 -1 0.002 \nking\t1.0  0 -.25 \r\n")) ==
        two);
  CHECK(vectors_of(folder.write("no end", "the 0.5 -1 2e-3\nking 1 0 -25e-2")) == two);
}

TEST_CASE(
    "the numbers are at the end of a line, so that a word may contain spaces or be a number") {
  const TemporaryFolder folder;
  const Vectors found = vectors_of(
      folder.write("v", "the 1 2\nat a@b.de 3 4\n. . . 5 6\n7 7 8\n\xC2\xA0 0 9\n\xFF 1 1\n"));
  CHECK(found == Vectors{{"the", {1, 2}},
                         {"at a@b.de", {3, 4}},
                         {". . .", {5, 6}},
                         {"7", {7, 8}},
                         {"\xC2\xA0", {0, 9}},
                         {"\xFF", {1, 1}}});
  // A repeated word is visited again.
  CHECK(vectors_of(folder.write("twice", "a 1\na 2\n")) == Vectors{{"a", {1}}, {"a", {2}}});
  CHECK(vectors_of(folder.write("tiny", "a 1e-60 1e-44\n"))[0].second[0] == 0);
}

TEST_CASE("word2vec binary is read with and without a line end between vectors") {
  const TemporaryFolder folder;
  for (const char* between : {"", "\n"}) {
    CHECK(vectors_of(folder.write("b", binary(two, "2 3\n", between))) == two);
  }
  // The two bytes 0A and 20 may be part of a number.
  float odd = 0;
  const uint32_t bits = 0x3D0A200A;
  std::memcpy(&odd, &bits, sizeof odd);
  const Vectors more = {{"\xE2\x82", {odd, odd}}, {"b", {-odd, odd}}};
  for (const char* between : {"", "\n"}) {
    CHECK(vectors_of(folder.write("b", binary(more, "2 2\n", between))) == more);
  }
}

TEST_CASE("a vector larger than the buffer of the reader is read whole, as text and as binary") {
  const TemporaryFolder folder;
  Vectors large = {{"a", {}}, {"b", {}}};
  for (int i = 0; i < 60'000; ++i) {
    large[0].second.push_back(static_cast<float>(i) / 7);
    large[1].second.push_back(-static_cast<float>(i));
  }
  std::string text;
  for (const auto& [word, vector] : large) {
    text += word;
    for (const float v : vector) text += fmt::format(" {}", v);
    text += '\n';
  }
  CHECK(vectors_of(folder.write("t", text)) == large);
  CHECK(vectors_of(folder.write("b", binary(large, "2 60000\n", "\n"))) == large);
}

TEST_CASE("malformed text is refused with its line number") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& content) {
    const std::string path = folder.write("v.txt", content);
    const std::string message = message_of<Error>([&] { vectors_of(path); });
    return message.starts_with(path) ? message.substr(path.size()) : "?" + message;
  };
  const std::string wanted = ": must be a word and 2 finite numbers";
  CHECK(refused("a 1 2\nb 1\n") == ":2" + wanted);
  CHECK(refused("a 1 2\nb 1 2 3\n") == ":2" + wanted);
  CHECK(refused("a 1 2\n\nb 1 2\n") == ":2" + wanted);
  CHECK(refused("a 1 2\n 1 2\n") == ":2" + wanted);
  CHECK(refused("2 2\na 1 2\nb 1 x\n") == ":3" + wanted);
  CHECK(refused("a 1 2\nb 1 nan\n") == ":2" + wanted);
  CHECK(refused("a 1 2\nb inf 1\n") == ":2" + wanted);
  CHECK(refused("a 1 2\nb 1e39 1\n") == ":2" + wanted);
  CHECK(refused("2 2\nb x 1\n") == ":2" + wanted);
  CHECK(refused("3 1\na 1\nb 2\n") == ": truncated: ends after 2 of the 3 vectors of line 1");
  CHECK(refused("1 1\na 1\nb 2\n") == ":3: follows the 1 vectors of line 1");
  CHECK(refused("a 1 2\nb " + std::string(2 << 20, '1') + " 1\n") ==
        ":2: longer than 1048576 bytes");
}

TEST_CASE("a file that has no word vectors is refused, whatever sizes its header claims") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& content) {
    return message_of<Error>([&] { vectors_of(folder.write("v", content)); });
  };
  CHECK(refused("") == folder.path("v") + ": the file is empty");
  for (const char* first : {"word\n", "\n", "a b c\n", "1.5\n"}) {
    CHECK(refused(first) ==
          folder.path("v") +
              ":1: must be a word and its numbers, or the numbers of words and dimensions");
  }
  CHECK(refused("0 5\n").starts_with(folder.path("v") + ":1: 0 vectors of 5 numbers"));
  CHECK(refused("3 999999999999\na 1\n").starts_with(folder.path("v") + ":1: 3 vectors of 9999"));
  CHECK(refused("9223372036854775807 65536\na 1\n").starts_with(folder.path("v") + ":2: must be"));
  CHECK(message_of<Error>([&] { WordVectorFile("/nosuch"); }).starts_with("/nosuch: "));
}

TEST_CASE("a malformed binary file is refused with the number of the vector") {
  const TemporaryFolder folder;
  const std::string whole = binary(two, "2 3\n", "\n");
  const auto refused = [&](const std::string& content) {
    const std::string path = folder.write("v.bin", content);
    const std::string message = message_of<Error>([&] { vectors_of(path); });
    return message.starts_with(path) ? message.substr(path.size()) : "?" + message;
  };
  CHECK(refused(whole.substr(0, whole.size() - 5)) ==
        ": vector 2 of 2, 'king': the file is truncated");
  CHECK(refused(whole.substr(0, 4 + 3 + 1 + 12 + 1)) == ": vector 2 of 2: the file is truncated");
  CHECK(refused(whole + "more") == ": bytes follow the 2 vectors of line 1");
  CHECK(refused("9223372036854775807" + whole.substr(1)) ==
        ": vector 3 of 9223372036854775807: the file is truncated");
  Vectors bad = two;
  bad[1].second[2] = std::bit_cast<float>(0x7FC00000);
  CHECK(refused(binary(bad, "2 3\n", "")) == ": vector 2 of 2, 'king': a number is not finite");
  CHECK(refused(binary({{"", {1, 2, 3}}}, "1 3\n", "")) ==
        ": vector 1 of 1: no word and space before it");
}
