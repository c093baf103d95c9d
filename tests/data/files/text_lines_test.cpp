#include "data/files/text_lines.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "data/files/gzip.h"
#include "data/files/gzip_bytes.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"

using namespace calque;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  const TextLines lines(path);
  std::vector<std::string> all;
  for (int64_t i = 0; i < lines.count(); ++i) all.push_back(lines.line(i));
  return all;
}

std::string bytes_of(std::initializer_list<int> numbers) {
  std::string bytes;
  for (const int number : numbers) bytes += static_cast<char>(number);
  return bytes;
}

std::string refusal(const std::string& path) {
  return message_of([&] { const TextLines lines(path); });
}

}  // namespace

TEST_CASE("a line ends at LF and nowhere else") {
  const TemporaryFolder folder;
  const std::string inner = "a\u2028b\u0085c\fd\ve\rf\u2029g";
  CHECK(lines_of(folder.write("t", inner + "\nsecond")) ==
        std::vector<std::string>{inner, "second"});
}

TEST_CASE("CRLF, a byte-order mark and a missing last line end are accepted") {
  const TemporaryFolder folder;
  const std::vector<std::string> expected = {"one", "", "three"};
  CHECK(lines_of(folder.write("lf", "one\n\nthree\n")) == expected);
  CHECK(lines_of(folder.write("open", "one\n\nthree")) == expected);
  CHECK(lines_of(folder.write("crlf", "one\r\n\r\nthree\r\n")) == expected);
  CHECK(lines_of(folder.write("bom", "\xEF\xBB\xBFone\n\nthree\n")) == expected);
}

TEST_CASE("lines are read in any order and in blocks limited by number and bytes") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  const TextLines lines(folder.write("t", text));
  CHECK(lines.count() == 1000);
  CHECK(lines.line(999) == "line 999");
  CHECK(lines.line(0) == "line 0");
  CHECK(lines.read(10, 5, 1 << 20).lines.size() == 5);
  CHECK(lines.read(998, 5, 1 << 20).lines.size() == 2);
  CHECK(lines.read(10, 100, 20).lines.size() == 2);
  CHECK(lines.read(10, 100, 1).lines.size() == 1);
  CHECK(lines.read(11, 1, 0).lines[0].text == "line 11");
  CHECK_THROWS_AS(lines.read(1000, 1, 1), Misuse);
}

TEST_CASE("gzip is detected by its content and reads like plain text") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "line " + std::to_string(i) + "\n";
  const TextLines lines(folder.write("named-like-text", gzip_bytes(text)));
  CHECK(lines.count() == 50000);
  CHECK(lines.line(49999) == "line 49999");
  CHECK(lines.line(7) == "line 7");
}

TEST_CASE("several gzip members, and zeros after them, are one text") {
  const TemporaryFolder folder;
  const std::string packed = gzip_bytes("one\ntw") + gzip_bytes("") + gzip_bytes("o\n");
  CHECK(lines_of(folder.write("t", packed)) == std::vector<std::string>{"one", "two"});
  CHECK(lines_of(folder.write("z", packed + std::string(1000, '\0'))) ==
        std::vector<std::string>{"one", "two"});
}

TEST_CASE("gzip_of() writes gzip, the same bytes each time") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 2654435761U) + '\n';
  const std::string once = gzip_of(text);
  CHECK(once == gzip_of(text));
  CHECK(once.size() < text.size());
  const TextLines lines(folder.write("f.gz", once + gzip_of("") + gzip_of("last")));
  CHECK(lines.count() == 200'001);
  CHECK(lines.text(0, 200'000) + '\n' == text);
  CHECK(lines.line(200'000) == "last");
}

TEST_CASE("truncated gzip is an error that names the file, wherever it is cut") {
  const TemporaryFolder folder;
  const std::string packed = gzip_bytes("some text\nof several lines\n");
  for (size_t size = 2; size < packed.size(); ++size) {
    const std::string path = folder.write("cut.gz", packed.substr(0, size));
    const std::string message = refusal(path);
    INFO("cut to ", size, ": ", message);
    CHECK(message.starts_with(path + ": the gzip data ends too early"));
  }
}

TEST_CASE("zstd is detected by its content and reads like plain text, all frames of it") {
  const TemporaryFolder folder;
  const std::string one = bytes_of({40, 181, 47, 253, 4, 88, 49, 0, 0, 111, 110, 101, 10, 116, 119,
                                    42, 217, 131, 199});  // printf 'one\ntw' | zstd
  const std::string two = bytes_of(
      {40, 181, 47, 253, 4, 88, 17, 0, 0, 111, 10, 47, 169, 131, 46});  // printf 'o\n' | zstd
  const std::string
      many = bytes_of({40,  181, 47,  253, 4,   104, 148, 0,   0,   80,  97,  97,  97,  97,  97,
                       97,  97,  97,  97,  10,  1,   0,   243, 255, 205, 11,  18,  76,  0,   0,
                       8,   97,  1,   0,   252, 255, 57,  16,  2,   76,  0,   0,   8,   97,  1,
                       0,   252, 255, 57,  16,  2,   84,  0,   0,   0,   1,   0,   253, 255, 253,
                       255, 229, 8,   8,   68,  0,   0,   0,   1,   0,   253, 255, 57,  0,   2,
                       68,  0,   0,   0,   1,   0,   253, 255, 57,  0,   2,   68,  0,   0,   0,
                       1,   0,   253, 255, 57,  0,   2,   69,  0,   0,   0,   1,   0,   61,  66,
                       57,  0,   2,   109, 216, 119, 0});  // 100,000 lines of nine a, zstd -19
  const std::string path = folder.write("named-like-text", one + two);
  if (refusal(path).find("which this build of calque cannot read") != std::string::npos) {
    MESSAGE("zstd files are not tested: this build has no libzstd");
    return;
  }
  CHECK(lines_of(path) == std::vector<std::string>{"one", "two"});
  const TextLines lines(folder.write("many.zst", many));
  CHECK(lines.count() == 100'000);
  CHECK(lines.line(99'999) == "aaaaaaaaa");
  const std::string broken = folder.path("broken.zst");
  for (size_t length = 4; length < one.size(); ++length) {
    folder.write("broken.zst", one.substr(0, length));
    CHECK(refusal(broken).starts_with(broken + ": the zstd data ends too early"));
  }
  std::string damaged = many;
  damaged[damaged.size() / 2] ^= 0x55;
  for (const std::string& bytes : {damaged, one + "and text"}) {
    folder.write("broken.zst", bytes);
    CHECK(refusal(broken).starts_with(broken + ": damaged zstd data near byte "));
  }
}

TEST_CASE("damaged gzip, and garbage after gzip, are errors") {
  const TemporaryFolder folder;
  std::string packed = gzip_bytes(std::string(1000, 'a') + "\n");
  CHECK(refusal(folder.write("tail.gz", packed + "tail")).find("damaged gzip data") !=
        std::string::npos);
  packed[packed.size() - 6] ^= 1;  // the checksum
  const std::string path = folder.write("bad.gz", packed);
  CHECK(refusal(path).starts_with(path + ": damaged gzip data"));
}

TEST_CASE("the error about an unreadable file names the file and the reason") {
  const TemporaryFolder folder;
  const std::string missing = folder.path("missing");
  CHECK(refusal(missing) == missing + ": no such file; check the path");
  CHECK(refusal(folder.path("")) == folder.path("") + ": is a directory; name a file");
  const std::string empty = folder.write("empty", "");
  CHECK(refusal(empty) == empty + ": the file is empty");
  CHECK(refusal(folder.write("mark", "\xEF\xBB\xBF")).ends_with(": the file is empty"));
  CHECK(refusal(folder.write("nothing.gz", gzip_bytes(""))).ends_with(": the file is empty"));
  CHECK(refusal(folder.write("wide", "\xFF\xFEh\0i\0")).find("is UTF-16") != std::string::npos);
  const std::string pipe = folder.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal(pipe).find("is not a regular file") != std::string::npos);
}

TEST_CASE("an empty file has no lines if that is allowed") {
  const TemporaryFolder folder;
  for (const std::string& bytes : {std::string(), gzip_bytes("")}) {
    CHECK(TextLines(folder.write("empty", bytes), TextLines::Empty::allowed).count() == 0);
  }
}

TEST_CASE("a file without read permission is an error that names the permission") {
  const TemporaryFolder folder;
  const std::string path = folder.write("secret", "text\n");
  REQUIRE(chmod(path.c_str(), 0) == 0);
  // Root can read everything: change the user.
  const bool superuser = geteuid() == 0;
  if (superuser) {
    REQUIRE(chmod(folder.path("").c_str(), 0755) == 0);
    REQUIRE(seteuid(65534) == 0);
  }
  const std::string message = refusal(path);
  if (superuser) REQUIRE(seteuid(0) == 0);
  CHECK(message == path + ": no permission to read it; check its mode and owner");
}

TEST_CASE("a line of 10 MB is skipped without reading it") {
  const TemporaryFolder folder;
  const TextLines lines(
      folder.write("t", "short\n" + std::string(10 << 20, 'x') + "\nshort again\n"));
  REQUIRE(lines.count() == 3);
  CHECK(lines.line(2) == "short again");
  CHECK(lines.read(0, 3, 1 << 30).lines.size() == 1);
  const LineBlock block = lines.read(1, 3, 1 << 30);
  REQUIRE(block.lines.size() == 1);
  CHECK(block.lines[0].too_long);
  CHECK(block.bytes.empty());
  CHECK(message_of([&] {
          lines.line(1);
        }).starts_with(lines.path() + ":2: a line of 10485761 bytes"));
}

TEST_CASE("a file that shrinks while it is read is an error") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t", "one\ntwo\nthree\n");
  const TextLines lines(path);
  REQUIRE(truncate(path.c_str(), 5) == 0);
  CHECK_THROWS_WITH_AS(lines.line(2), (path + ": became shorter while it was read").c_str(), Error);
}
