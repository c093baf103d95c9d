#include "data/text/regex.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "support/message_of.h"

using namespace calque;

TEST_CASE("a match is found from an offset on, in bytes") {
  const Regex words("\\p{L}+");
  const std::string text = "1 \u00e9t\u00e9 \u4e2d2";
  const auto first = words.find(text);
  REQUIRE(first);
  CHECK(text.substr(first->begin, first->end - first->begin) == "\u00e9t\u00e9");
  const auto second = words.find(text, first->end);
  REQUIRE(second);
  CHECK(text.substr(second->begin) == "\u4e2d2");
  CHECK(second->end == text.size() - 1);
  CHECK_FALSE(words.find(text, second->end));
  CHECK_FALSE(words.find(""));
}

TEST_CASE("every match is replaced, and a pattern can require what is around it") {
  CHECK(Regex("a+").replace_all("aab ba", "x$1") == "x$1b bx$1");
  CHECK(Regex("b\\Ka(?!c)").replace_all("a ba bac", "-") == "a b- bac");
  CHECK(Regex("z").replace_all("", "-").empty());
}

TEST_CASE("an invalid pattern is an Error with the place") {
  CHECK(message_of([] { Regex("a(b"); }) ==
        "regular expression a(b: byte 4: missing closing parenthesis");
}

TEST_CASE("a match may have a million characters") {
  const std::string text = std::string(1'000'000, 'a') + std::string(1'000'000, ' ');
  const auto letters = Regex("\\p{L}+(?= )").find(text);
  REQUIRE(letters);
  CHECK(letters->end == 1'000'000);
  CHECK_FALSE(Regex("[ a]+\\S$").find(text));
}
