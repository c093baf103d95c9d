#include "interop/gguf/blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "train/storage/safetensors_header.h"

namespace calque {
namespace {

// The bytes of one block.
class Block {
 public:
  explicit Block(const std::byte* data) : data_(data) {}

  uint32_t byte(int64_t at) const { return std::to_integer<uint32_t>(data_[at]); }
  int32_t signed_byte(int64_t at) const { return static_cast<int8_t>(byte(at)); }
  uint32_t bit(int64_t at, int64_t number) const { return byte(at) >> number & 1; }
  float half(int64_t at) const {
    return from_f16(static_cast<uint16_t>(byte(at) | byte(at + 1) << 8));
  }

 private:
  const std::byte* data_;
};

// Calls one(block, to) for each block; `to` are its numbers.
template <int64_t numbers, int64_t bytes, void (*one)(const Block&, real*)>
void decode_blocks(const std::byte* from, std::span<real> to) {
  for (size_t at = 0; at < to.size(); at += numbers, from += bytes) one(Block(from), &to[at]);
}

void read_q8_0(const Block& block, real* to) {
  const float d = block.half(0);
  for (int64_t i = 0; i < 32; ++i) to[i] = d * static_cast<real>(block.signed_byte(2 + i));
}

// Of 32 numbers in 16 bytes, the low halves of the bytes come first.
uint32_t nibble(const Block& block, int64_t begin, int64_t i) {
  const uint32_t pair = block.byte(begin + i % 16);
  return i < 16 ? pair & 15 : pair >> 4;
}

void read_q4_0(const Block& block, real* to) {
  const float d = block.half(0);
  for (int64_t i = 0; i < 32; ++i) {
    to[i] = d * static_cast<real>(static_cast<int32_t>(nibble(block, 2, i)) - 8);
  }
}

void read_q4_1(const Block& block, real* to) {
  const float d = block.half(0), m = block.half(2);
  for (int64_t i = 0; i < 32; ++i) to[i] = d * static_cast<real>(nibble(block, 4, i)) + m;
}

// Number i with its fifth bit, which is bit i of the 32 bits at `bits`.
uint32_t five_bits(const Block& block, int64_t bits, int64_t begin, int64_t i) {
  return nibble(block, begin, i) | block.bit(bits + i / 8, i % 8) << 4;
}

void read_q5_0(const Block& block, real* to) {
  const float d = block.half(0);
  for (int64_t i = 0; i < 32; ++i) {
    to[i] = d * static_cast<real>(static_cast<int32_t>(five_bits(block, 2, 6, i)) - 16);
  }
}

void read_q5_1(const Block& block, real* to) {
  const float d = block.half(0), m = block.half(2);
  for (int64_t i = 0; i < 32; ++i) to[i] = d * static_cast<real>(five_bits(block, 4, 8, i)) + m;
}

// The scale and the minimum of group j of eight, 6 bits each, in the 12 bytes from `at` on.
struct GroupScale {
  float scale, minimum;
};
GroupScale group_scale(const Block& block, int64_t at, int64_t j) {
  if (j < 4) {
    return {static_cast<float>(block.byte(at + j) & 63),
            static_cast<float>(block.byte(at + j + 4) & 63)};
  }
  const uint32_t low = block.byte(at + j + 4);
  return {static_cast<float>((low & 15) | block.byte(at + j - 4) >> 6 << 4),
          static_cast<float>(low >> 4 | block.byte(at + j) >> 6 << 4)};
}

// 256 numbers in eight groups of 32. Each 32 bytes from `begin` on hold two groups, the low halves
// of the bytes first. The fifth bit of group j is bit j of the bytes from `bits` on, if bits > 0.
void read_groups(const Block& block, int64_t bits, int64_t begin, real* to) {
  const float d = block.half(0), dmin = block.half(2);
  for (int64_t j = 0; j < 8; ++j) {
    const auto [scale, minimum] = group_scale(block, 4, j);
    for (int64_t i = 0; i < 32; ++i) {
      const uint32_t pair = block.byte(begin + j / 2 * 32 + i);
      uint32_t q = j % 2 == 0 ? pair & 15 : pair >> 4;
      if (bits > 0) q |= block.bit(bits + i, j) << 4;
      to[j * 32 + i] = d * scale * static_cast<float>(q) - dmin * minimum;
    }
  }
}

void read_q4_k(const Block& block, real* to) { read_groups(block, 0, 16, to); }
void read_q5_k(const Block& block, real* to) { read_groups(block, 16, 48, to); }

// 256 numbers of 6 bits in two halves. Of each half, 64 bytes hold the low 4 bits, 32 bytes the
// high 2 bits, and 8 bytes the scales of groups of 16.
void read_q6_k(const Block& block, real* to) {
  const float d = block.half(208);
  for (int64_t i = 0; i < 256; ++i) {
    const int64_t part = i / 128, quarter = i % 128 / 32, at = i % 32;
    const uint32_t pair = block.byte(part * 64 + quarter % 2 * 32 + at);
    const uint32_t low = quarter < 2 ? pair & 15 : pair >> 4;
    const uint32_t high = block.byte(128 + part * 32 + at) >> 2 * quarter & 3;
    const auto q = static_cast<int32_t>(low | high << 4) - 32;
    to[i] = d * static_cast<float>(block.signed_byte(192 + i / 16)) * static_cast<float>(q);
  }
}

template <class Stored, auto convert>
void encode_numbers(std::span<const real> from, std::byte* to) {
  for (const real value : from) {
    const Stored stored = convert(static_cast<float>(value));
    std::memcpy(to, &stored, sizeof stored);
    to += sizeof stored;
  }
}

// Calls one(from, to) for each block, with its numbers and its bytes.
template <int64_t numbers, int64_t bytes, void (*one)(std::span<const float>, uint8_t*)>
void encode_blocks(std::span<const real> from, std::byte* to) {
  std::array<float, numbers> block;
  for (; !from.empty(); from = from.subspan(numbers), to += bytes) {
    std::ranges::transform(from.first(numbers), block.begin(),
                           [](real x) { return static_cast<float>(x); });
    one(block, reinterpret_cast<uint8_t*>(to));
  }
}

void write_half(float value, uint8_t* to) {
  const uint16_t bits = to_f16(value);
  to[0] = static_cast<uint8_t>(bits);
  to[1] = static_cast<uint8_t>(bits >> 8);
}

void write_q8_0(std::span<const float> from, uint8_t* to) {
  write_half(round_to_q8_0(from, reinterpret_cast<int8_t*>(to + 2)), to);
}

void write_q4_0(std::span<const float> from, uint8_t* to) {
  std::array<int8_t, 32> integers;
  write_half(round_to_q4_0(from, integers.data()), to);
  for (size_t i = 0; i < 16; ++i) {
    to[2 + i] = static_cast<uint8_t>((integers[i] + 8) | (integers[16 + i] + 8) << 4);
  }
}

float itself(float value) { return value; }

std::span<const GgufStorage> storages() {
  constexpr auto f32 = encode_numbers<float, itself>;
  constexpr auto f16 = encode_numbers<uint16_t, to_f16>;
  constexpr auto bf16 = encode_numbers<uint16_t, to_bf16>;
  constexpr auto q4_0 = encode_blocks<32, 18, write_q4_0>;
  constexpr auto q8_0 = encode_blocks<32, 34, write_q8_0>;
  static const GgufStorage all[] = {{0, "F32", 1, 4, find_element_type("F32")->decode, f32},
                                    {1, "F16", 1, 2, find_element_type("F16")->decode, f16},
                                    {28, "F64", 1, 8, find_element_type("F64")->decode},
                                    {30, "BF16", 1, 2, find_element_type("BF16")->decode, bf16},
                                    {2, "Q4_0", 32, 18, decode_blocks<32, 18, read_q4_0>, q4_0},
                                    {3, "Q4_1", 32, 20, decode_blocks<32, 20, read_q4_1>},
                                    {6, "Q5_0", 32, 22, decode_blocks<32, 22, read_q5_0>},
                                    {7, "Q5_1", 32, 24, decode_blocks<32, 24, read_q5_1>},
                                    {8, "Q8_0", 32, 34, decode_blocks<32, 34, read_q8_0>, q8_0},
                                    {12, "Q4_K", 256, 144, decode_blocks<256, 144, read_q4_k>},
                                    {13, "Q5_K", 256, 176, decode_blocks<256, 176, read_q5_k>},
                                    {14, "Q6_K", 256, 210, decode_blocks<256, 210, read_q6_k>}};
  return all;
}

template <class Value, class Member>
const GgufStorage* find_storage(const Value& value, Member member) {
  const auto found = std::ranges::find(storages(), value, member);
  return found == storages().end() ? nullptr : &*found;
}

}  // namespace

const GgufStorage* gguf_storage(uint32_t type) { return find_storage(type, &GgufStorage::type); }
const GgufStorage* gguf_storage(std::string_view name) {
  return find_storage(name, &GgufStorage::name);
}

}  // namespace calque
