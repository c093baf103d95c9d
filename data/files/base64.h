#pragma once
// Base64: bytes as text, in the digits A-Z a-z 0-9 + / (RFC 4648).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace calque {

inline constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string base64(std::string_view bytes) {
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view part = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0U);
    }
    for (size_t i = 0; i < 4; ++i) {
      out += i <= part.size() ? base64_digits[bits >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return out;
}

// The bytes of a base64 text; nothing if it is not base64 or lacks the padding.
inline std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string out;
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const size_t digits = last ? 4 - padding : 4;
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) {
      const size_t digit = i < digits ? base64_digits.find(text[at + i]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      bits = bits << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t i = 0; i + 1 < digits; ++i) out += static_cast<char>(bits >> (16 - 8 * i) & 0xFF);
  }
  return out;
}

}  // namespace calque
