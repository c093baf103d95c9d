// Zip archives of stored files: calque's, and archives with the headers of other writers.
#include "interop/files/zip.h"

#include <doctest/doctest.h>

#include <cstring>

#include "core/error.h"
#include "support/message_of.h"

namespace calque {
namespace {

std::string archive_of(std::initializer_list<std::pair<std::string_view, std::string_view>> files) {
  ZipWriter writer("x.zip");
  for (const auto& [name, bytes] : files) writer.add(name, bytes);
  return writer.finish();
}

std::string refusal(const std::string& archive) {
  return message_of<Error>([&] { parse_zip(archive, "x.zip"); });
}

void put32(std::string& archive, size_t at, uint32_t number) {
  std::memcpy(archive.data() + at, &number, sizeof(number));
}

TEST_CASE("a zip archive returns its files in order") {
  const std::string archive = archive_of({{"b", "first"}, {"a/c", ""}, {"d", "third"}});
  const auto files = parse_zip(archive, "x.zip");
  REQUIRE(files.size() == 3);
  CHECK((files[0].name == "b" && files[0].bytes == "first"));
  CHECK((files[1].name == "a/c" && files[1].bytes.empty()));
  CHECK((files[2].name == "d" && files[2].bytes == "third"));
  CHECK(parse_zip(archive_of({}), "x.zip").empty());
}

TEST_CASE("a zip archive that is cut off anywhere is refused") {
  const std::string archive = archive_of({{"a", "12345"}, {"b", "678"}});
  for (size_t length = 0; length < archive.size(); ++length) {
    CHECK(refusal(archive.substr(0, length)) == "x.zip: is not a whole zip archive");
  }
}

TEST_CASE("a zip archive with a comment is read, and refused if the comment has another length") {
  std::string archive = archive_of({{"a", "12345"}});
  archive[archive.size() - 2] = 4;
  archive += "text";
  CHECK(parse_zip(archive, "x.zip").front().bytes == "12345");
  CHECK(refusal(archive + "!") == "x.zip: is not a whole zip archive");
}

TEST_CASE("sizes in the local header of a zip archive are not needed") {
  std::string archive = archive_of({{"a", "12345"}});
  for (const size_t at : {14, 18, 22}) put32(archive, at, 0);  // checksum and sizes
  CHECK(parse_zip(archive, "x.zip").front().bytes == "12345");
}

TEST_CASE("a zip archive with a wrong offset or size is refused") {
  const std::string archive = archive_of({{"a", "12345"}, {"b", "678"}});
  const size_t directory = archive.find("PK\1\2"), end = archive.find("PK\5\6");
  for (const uint32_t wrong : {1U, 1000U, 0x7fffffffU, 0xfffffffeU, 0xffffffffU}) {
    for (const size_t at : {directory + 20, directory + 24, directory + 42, end + 12, end + 16}) {
      std::string changed = archive;
      put32(changed, at, wrong);
      CHECK(refusal(changed).starts_with("x.zip: "));
    }
    std::string both = archive;
    put32(both, directory + 20, wrong);
    put32(both, directory + 24, wrong);
    CHECK(refusal(both).starts_with("x.zip: "));
  }
}

TEST_CASE("compressed, damaged and repeated files of a zip archive are refused by name") {
  const std::string archive = archive_of({{"a", "12345"}});
  const size_t directory = archive.find("PK\1\2");
  std::string compressed = archive, encrypted = archive, damaged = archive;
  compressed[directory + 10] = 8;
  encrypted[directory + 8] = 1;
  damaged[directory - 1] = '6';
  const std::string stored = "x.zip: a is compressed or encrypted; calque reads stored files";
  CHECK(refusal(compressed) == stored);
  CHECK(refusal(encrypted) == stored);
  CHECK(refusal(damaged) == "x.zip: a is damaged");
  CHECK(refusal(archive_of({{"a", "1"}, {"a", "2"}})) == "x.zip: a is there twice");
}

// As PyTorch and numpy.savez write archives: sizes and offset in the extra field, and a second end
// record with numbers of 64 bits.
TEST_CASE("a zip64 archive is read") {
  const std::string plain = archive_of({{"a", "12345"}});
  const size_t directory = plain.find("PK\1\2"), end = plain.find("PK\5\6");
  const auto number64 = [](uint64_t number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  std::string entry = plain.substr(directory, end - directory);
  for (const size_t at : {20, 24, 42}) put32(entry, at, 0xffffffff);
  entry[30] = 28;
  entry += std::string("\1\0\x18\0", 4) + number64(5) + number64(5) + number64(0);
  std::string archive = plain.substr(0, directory) + entry;
  const size_t end64 = archive.size();
  archive += std::string("PK\6\6", 4) + number64(44) + std::string(12, '\0') + number64(1) +
             number64(1) + number64(entry.size()) + number64(directory);
  archive += std::string("PK\6\7", 4) + std::string(4, '\0') + number64(end64) +
             std::string("\1\0\0\0", 4);
  archive += std::string("PK\5\6", 4) + std::string(4, '\0') + std::string(12, '\xff') +
             std::string(2, '\0');
  const auto files = parse_zip(archive, "x.zip");
  REQUIRE(files.size() == 1);
  CHECK(files[0].bytes == "12345");
  std::string wrong = archive;
  wrong[archive.find("PK\6\7") + 15] = 1;  // the offset of the second end record becomes huge
  CHECK(refusal(wrong) == "x.zip: is not a whole zip archive");
}

}  // namespace
}  // namespace calque
