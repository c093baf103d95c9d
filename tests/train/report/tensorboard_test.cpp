// TensorBoard's event files, read back by a small decoder of the published formats.
#include "train/report/exports/tensorboard.h"

#include <bit>
#include <cstring>
#include <map>
#include <vector>

#include "core/error.h"
#include "train/report/exports/event_format.h"
#include "train/report/fixture.h"

using namespace calque;
using calque::tests::TemporaryRun;

namespace {

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

// Computes the CRC bit by bit from its definition, without the table that the writer uses.
uint32_t slow_crc32c(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool out = ((crc ^ (static_cast<uint8_t>(c) >> bit)) & 1) != 0;
      crc = (crc >> 1) ^ (out ? 0x82F63B78u : 0u);
    }
  }
  return ~crc;
}

uint64_t unmasked(uint64_t masked) {
  const uint32_t rotated = static_cast<uint32_t>(masked) - 0xA282EAD8u;
  return rotated >> 17 | rotated << 15;
}

std::vector<std::string> records_of(std::string_view file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    REQUIRE(file.size() >= 16);
    const uint64_t size = little_endian(file.substr(0, 8));
    REQUIRE(file.size() >= size + 16);
    CHECK(unmasked(little_endian(file.substr(8, 4))) == slow_crc32c(file.substr(0, 8)));
    CHECK(unmasked(little_endian(file.substr(12 + size, 4))) == slow_crc32c(file.substr(12, size)));
    records.emplace_back(file.substr(12, size));
    file.remove_prefix(size + 16);
  }
  return records;
}

// The bytes of each field, by its number; a varint becomes eight bytes.
std::multimap<uint64_t, std::string> fields_of(std::string_view message) {
  std::multimap<uint64_t, std::string> fields;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      REQUIRE(!message.empty());
      const auto byte = static_cast<uint8_t>(message.front());
      message.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  };
  while (!message.empty()) {
    const uint64_t key = varint();
    uint64_t size = 0;
    if ((key & 7) == 0) {
      const uint64_t value = varint();
      std::string bytes(8, '\0');
      std::memcpy(bytes.data(), &value, 8);
      fields.emplace(key >> 3, bytes);
      continue;
    }
    if ((key & 7) == 1) size = 8;
    if ((key & 7) == 5) size = 4;
    if ((key & 7) == 2) size = varint();
    REQUIRE(size <= message.size());
    fields.emplace(key >> 3, message.substr(0, size));
    message.remove_prefix(size);
  }
  return fields;
}

std::string field(std::string_view message, uint64_t number) {
  const auto fields = fields_of(message);
  REQUIRE(fields.count(number) == 1);
  return fields.find(number)->second;
}

struct Value {
  int64_t step = 0;
  std::string message;  // Summary.Value
};

// The values of a file by tag. Events without a value are skipped.
std::multimap<std::string, Value> values_of(std::string_view file) {
  std::multimap<std::string, Value> values;
  for (const std::string& event : records_of(file)) {
    if (fields_of(event).count(5) == 0) continue;
    const std::string value = field(field(event, 5), 1);
    values.emplace(field(value, 1),
                   Value{static_cast<int64_t>(little_endian(field(event, 2))), value});
  }
  return values;
}

float simple_value(const Value& value) {
  return std::bit_cast<float>(static_cast<uint32_t>(little_endian(field(value.message, 2))));
}

}  // namespace

TEST_CASE("the CRC gives the values published for it") {
  CHECK(crc32c("") == 0);
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  CHECK(crc32c(rising) == 0x46DD794E);
}

TEST_CASE("a scalar event is encoded in the documented bytes") {
  const std::string wanted(
      "\x09\x00\x00\x00\x00\x00\x00\xF0\x3F"  // wall_time = 1.0
      "\x10\xAC\x02"                          // step = 300
      "\x2A\x0A\x0A\x08"                      // summary, one value of 8 bytes
      "\x0A\x01x"                             // tag
      "\x15\x00\x00\x00\x40",                 // simple_value = 2
      24);
  CHECK(scalar_event({1.0, 300}, "x", 2.0F) == wanted);
}

TEST_CASE("a file begins with the version of its format and the start of a session") {
  const TemporaryRun folder;
  const TensorBoardWriter writer(folder.folder() / "tensorboard", 500);
  CHECK(writer.file().filename().string().starts_with("events.out.tfevents."));
  const std::vector<std::string> records = records_of(TemporaryRun::read_bytes(writer.file()));
  REQUIRE(records.size() == 2);
  CHECK(field(records[0], 3) == "brain.Event:2");
  CHECK(little_endian(field(records[1], 2)) == 500);
  CHECK(little_endian(field(field(records[1], 7), 1)) == 1);
}

TEST_CASE("scalars and texts come back as they were written") {
  const TemporaryRun folder;
  TensorBoardWriter writer(folder.folder(), 0);
  writer.scalar("train/loss", 7, 1.25);
  writer.scalar("train/loss", int64_t{1} << 40, -3);
  writer.text("note", 9, "**bold** \xC3\xA4");
  writer.flush();
  const auto values = values_of(TemporaryRun::read_bytes(writer.file()));
  REQUIRE(values.size() == 3);
  auto loss = values.find("train/loss");
  CHECK(loss->second.step == 7);
  CHECK(simple_value(loss->second) == 1.25F);
  ++loss;
  CHECK(loss->second.step == int64_t{1} << 40);
  CHECK(simple_value(loss->second) == -3.0F);
  const std::string note = values.find("note")->second.message;
  CHECK(field(field(field(note, 9), 1), 1) == "text");  // metadata, plugin data, name
  CHECK(little_endian(field(field(note, 8), 1)) == 7);  // tensor of strings
  CHECK(field(field(note, 8), 8) == "**bold** \xC3\xA4");
}

TEST_CASE("a line of metrics.jsonl becomes its scalars and its texts") {
  const TemporaryRun folder;
  TensorBoardWriter writer(folder.folder(), 0);
  writer.record(R"({"kind":"valid","step":10,"loss":2.5,"note":"x","timing":{"seconds":3},)"
                R"("samples":[{"source":"a|b","reference":"r","output":"o"}]})");
  writer.record(R"({"kind":"event","step":11,"text":"step skipped"})");
  const auto values = values_of(TemporaryRun::read_bytes(writer.file()));
  CHECK(simple_value(values.find("valid/loss")->second) == 2.5F);
  CHECK(simple_value(values.find("valid/seconds")->second) == 3.0F);
  CHECK(values.count("valid/note") == 0);
  CHECK(
      field(field(values.find("valid/samples")->second.message, 8), 8).find("| a\\|b | r | o |") !=
      std::string::npos);
  CHECK(field(field(values.find("event")->second.message, 8), 8) == "step skipped");
  CHECK_THROWS_AS(writer.record("rubbish"), Misuse);
}

TEST_CASE("each start of a run writes a file of its own") {
  const TemporaryRun folder;
  const TensorBoardWriter first(folder.folder(), 0), second(folder.folder(), 100);
  CHECK(first.file() != second.file());
}

TEST_CASE("an event file that cannot be written is an error that names it") {
  const TemporaryRun folder;
  folder.write("occupied", "");
  CHECK_THROWS_WITH_AS(TensorBoardWriter(folder.folder() / "occupied", 0),
                       doctest::Contains("occupied"), Error);
}
