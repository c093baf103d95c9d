#include "data/text/utf8.h"

#include <doctest/doctest.h>

#include <string>

using namespace calque;

TEST_CASE("well-formed text with characters of every length is accepted") {
  CHECK_FALSE(find_invalid_utf8(""));
  CHECK_FALSE(find_invalid_utf8("plain ascii, longer than a word of the machine"));
  CHECK_FALSE(find_invalid_utf8("M\u00e4dchen \u2014 \u4e2d\u6587 \U0001F600 tail of ascii"));
  CHECK_FALSE(find_invalid_utf8("\uD7FF\uE000\U00010000\U0010FFFF"));
}

TEST_CASE("the offset of the first invalid byte is found") {
  CHECK(find_invalid_utf8("\x80") == 0u);
  CHECK(find_invalid_utf8("12345678901\xFFzz") == 11u);
  CHECK(find_invalid_utf8("ok\xC3") == 2u);            // cut off
  CHECK(find_invalid_utf8("ok\xE2\x82") == 2u);        // cut off
  CHECK(find_invalid_utf8("ok\xF0\x9F\x98") == 2u);    // cut off
  CHECK(find_invalid_utf8("\xC0\xAF") == 0u);          // overlong
  CHECK(find_invalid_utf8("\xE0\x9F\xBF") == 0u);      // overlong
  CHECK(find_invalid_utf8("\xF0\x8F\xBF\xBF") == 0u);  // overlong
  CHECK(find_invalid_utf8("a\xED\xA0\x80") == 1u);     // a surrogate
  CHECK(find_invalid_utf8("\xF4\x90\x80\x80") == 0u);  // above U+10FFFF
  CHECK(find_invalid_utf8("\xF5\x80\x80\x80") == 0u);
  CHECK(find_invalid_utf8("\xE4\xF6") == 0u);  // Latin-1
}

TEST_CASE("a NUL is invalid") {
  for (size_t at = 0; at < 20; ++at) {
    std::string text(20, 'x');
    text[at] = '\0';
    CHECK(find_invalid_utf8(text) == at);
  }
}

TEST_CASE("the problem of a text names the byte, counted from 1") {
  CHECK(utf8_problem("M\u00e4dchen").empty());
  CHECK(utf8_problem("ok\xFF") == "not valid UTF-8 (byte 3)");
  CHECK(utf8_problem(std::string("a\0b", 3)) == "a NUL (byte 2)");
}

TEST_CASE("every code point is written and read back") {
  for (char32_t point = 1; point <= 0x10FFFF; ++point) {
    if (point == 0xD800) point = 0xE000;
    std::string text;
    append_utf8(point, text);
    size_t at = 0;
    const bool same = next_code_point(text, at) == point && at == text.size();
    if (!same || find_invalid_utf8(text)) FAIL("code point " << static_cast<uint32_t>(point));
  }
}
