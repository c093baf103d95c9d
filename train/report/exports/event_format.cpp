// A protobuf message is a sequence of fields, each a key (number and wire type) and a value; a
// nested message is a field of bytes.
#include "train/report/exports/event_format.h"

#include <array>
#include <bit>

namespace calque {
namespace {

constexpr std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> crc_table = make_crc_table();

enum WireType : uint64_t { varint_type = 0, eight_bytes = 1, length_delimited = 2, four_bytes = 5 };

void append_little_endian(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7F));
  out += static_cast<char>(value);
}

std::string key(uint64_t number, WireType type) {
  std::string out;
  append_varint(out, number << 3 | type);
  return out;
}

std::string integer(uint64_t number, int64_t value) {
  std::string out = key(number, varint_type);
  append_varint(out, static_cast<uint64_t>(value));
  return out;
}

std::string real64(uint64_t number, double value) {
  std::string out = key(number, eight_bytes);
  append_little_endian(out, std::bit_cast<uint64_t>(value), 8);
  return out;
}

std::string real32(uint64_t number, float value) {
  std::string out = key(number, four_bytes);
  append_little_endian(out, std::bit_cast<uint32_t>(value), 4);
  return out;
}

std::string bytes(uint64_t number, std::string_view value) {
  std::string out = key(number, length_delimited);
  append_varint(out, value.size());
  return out.append(value);
}

std::string event(EventTime at, const std::string& what) {
  return real64(1, at.wall_time) + integer(2, at.step) + what;
}

// Event.summary = 5 with one Summary.value = 1.
std::string summary(const std::string& value) { return bytes(5, bytes(1, value)); }

// SummaryMetadata {plugin_data = 1 {plugin_name = 1}, data_class = 4 (TENSOR = 2)}.
std::string text_metadata() { return bytes(1, bytes(1, "text")) + integer(4, 2); }

// TensorProto {dtype = 1 (STRING = 7), tensor_shape = 2 {dim = 2 {size = 1}}, string_val = 8}.
std::string string_tensor(std::string_view text) {
  return integer(1, 7) + bytes(2, bytes(2, integer(1, 1))) + bytes(8, text);
}

}  // namespace

uint32_t crc32c(std::string_view text) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char c : text) crc = crc_table[(crc ^ static_cast<uint8_t>(c)) & 0xFF] ^ (crc >> 8);
  return crc ^ 0xFFFFFFFFu;
}

uint32_t masked_crc32c(std::string_view text) { return std::rotr(crc32c(text), 15) + 0xA282EAD8u; }

std::string framed_record(std::string_view text) {
  std::string out;
  append_little_endian(out, text.size(), 8);
  append_little_endian(out, masked_crc32c(out), 4);
  out += text;
  append_little_endian(out, masked_crc32c(text), 4);
  return out;
}

std::string version_event(EventTime at) { return event(at, bytes(3, "brain.Event:2")); }

std::string start_event(EventTime at) {
  return event(at, bytes(7, integer(1, 1)));  // SessionLog {status = 1: START = 1}
}

std::string scalar_event(EventTime at, std::string_view tag, float value) {
  return event(at, summary(bytes(1, tag) + real32(2, value)));
}

std::string text_event(EventTime at, std::string_view tag, std::string_view text) {
  return event(at,
               summary(bytes(1, tag) + bytes(9, text_metadata()) + bytes(8, string_tensor(text))));
}

}  // namespace calque
