#pragma once
// A fast 64-bit hash that identifies a corpus, a tokenizer or a cached file: XXH64 with seed 0, as
// `xxhsum -H64 FILE` prints it. Not cryptographic.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace calque {

class ContentHash {
 public:
  ContentHash& add(std::string_view bytes);

  // Adds the bytes of a number or an enum.
  template <class Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) ContentHash& add(Number value) {
    return add({reinterpret_cast<const char*>(&value), sizeof value});
  }

  // Adds a text and its length, so that ("ab", "c") and ("a", "bc") differ.
  ContentHash& add_text(std::string_view text) { return add(text.size()).add(text); }

  uint64_t value() const;

 private:
  static constexpr uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F;

  std::array<uint64_t, 4> lanes_{prime1 + prime2, prime2, 0, 0 - prime1};
  std::array<char, 32> pending_{};
  uint64_t length_ = 0;
};

// Adds the bytes of a file and its size.
void add_file(const std::string& path, ContentHash& hash);

// Sixteen hexadecimal digits.
std::string hexadecimal(uint64_t hash);

inline uint64_t content_hash(std::string_view bytes) { return ContentHash().add(bytes).value(); }

}  // namespace calque
