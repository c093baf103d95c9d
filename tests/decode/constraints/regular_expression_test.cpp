// Regular expressions: the automaton against std::regex, characters of several bytes, and
// expressions that are refused.
#include "decode/constraints/regular_expression.h"

#include <doctest/doctest.h>

#include <random>
#include <regex>

#include "core/error.h"
#include "decode/constraints/automaton.h"
#include "decode/constraints/character_set.h"

namespace calque {
namespace {

Automaton automaton_of(std::string_view expression) {
  return Automaton(ByteNetwork({{regular_expression(expression)}}, all_characters()));
}

bool matches(std::string_view expression, std::string_view text) {
  return automaton_of(expression).accepts(text);
}

std::string refused(std::string_view expression) {
  try {
    automaton_of(expression);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

// An expression over a few letters, with groups nested up to `depth`.
std::string random_expression(std::mt19937& random, int depth) {
  static const std::vector<std::string> atoms = {"a",   "b",      "1",   "[ab]", "[^a]",
                                                 "\\d", "[^\\W]", "\\w", "\\D",  "[a-c1]"};
  static const std::vector<std::string> repetitions = {"",  "",    "",     "*",     "+",
                                                       "?", "{2}", "{1,}", "{0,2}", "*?"};
  std::string text;
  for (auto parts = random() % 4; parts > 0; --parts) {
    const bool group = depth > 0 && random() % 3 == 0;
    text +=
        group ? "(" + random_expression(random, depth - 1) + ")" : atoms[random() % atoms.size()];
    // std::regex never ends on some repetitions of groups that match the empty text.
    text += group ? (random() % 2 ? "?" : "") : repetitions[random() % repetitions.size()];
    if (random() % 5 == 0) text += "|";
  }
  return text;
}

}  // namespace

TEST_CASE("an expression matches what std::regex matches") {
  std::mt19937 random(1);
  int64_t matched = 0, count = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string expression = random_expression(random, 2);
    const std::regex peer(expression);
    Automaton automaton = automaton_of(expression);
    for (int k = 0; k < 100; ++k) {
      std::string text;
      for (auto size = random() % 7; size > 0; --size) text.push_back("abc12 "[random() % 6]);
      const bool expected = std::regex_match(text, peer);
      CHECK_MESSAGE(automaton.accepts(text) == expected, expression, " on ", text);
      matched += expected ? 1 : 0;
      ++count;
    }
  }
  CHECK(matched > count / 20);
}

TEST_CASE("characters of several bytes are one character, in every range") {
  CHECK(matches(".", "é"));
  CHECK(matches("[α-ω]{3}", "αβγ"));
  CHECK_FALSE(matches("[α-ω]", "ά"));
  CHECK(matches("[^a]", "𝄞"));
  CHECK_FALSE(matches("..", "é"));
  CHECK_FALSE(matches(".", "\xC3"));
  CHECK(matches("\\u00e9|\\x41", "é"));
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto point = [&] {
      char32_t value = 0;
      do value = static_cast<char32_t>(random() % (1U << (7 + random() % 15)));
      while (!holds(all_characters(), value));
      return value;
    };
    char32_t first = point(), last = point();
    if (first > last) std::swap(first, last);
    const ByteNetwork network({{Pattern::one_of({{first, last}})}}, all_characters());
    Automaton automaton{network};
    for (const char32_t value : std::u32string{first, last, first - 1, last + 1, point()}) {
      if (!holds(all_characters(), value)) continue;
      std::string text;
      append_utf8(value, text);
      const bool inside = first <= value && value <= last;
      CHECK_MESSAGE(automaton.accepts(text) == inside, uint32_t(first), "-", uint32_t(last));
    }
  }
}

TEST_CASE("groups, counts, braces and anchors at the ends have their usual meaning") {
  CHECK(matches("^(?:a|b)+$", "abba"));
  CHECK(matches("^a$|^b$", "b"));
  CHECK(matches("(?<year>\\d{4})-(?P<month>\\d\\d)", "2024-05"));
  CHECK(matches("a{,2}", ""));
  CHECK_FALSE(matches("a{,2}", "aaa"));
  CHECK(matches("{\"a\": \\d+}", "{\"a\": 12}"));
  CHECK(matches("a{x}", "a{x}"));
  CHECK(matches("[-a\\]]+", "]-a"));
  CHECK(matches("[\\d.-]+", "1.-2"));
  CHECK(matches("\\.\\*\\\\\\/", ".*\\/"));
  CHECK(matches("", ""));
  CHECK_FALSE(matches("", "a"));
  CHECK_FALSE(matches(".", "\n"));
  CHECK(matches("\\s\\n", "\t\n"));
  CHECK(matches("(a?){1000}", std::string(1000, 'a')));
  CHECK_FALSE(matches("(a?){1000}", std::string(1001, 'a')));
  // A deterministic automaton of this has a million states; only those visited are made.
  CHECK(matches("(a|b)*a(a|b){20}", "bba" + std::string(20, 'b')));
  CHECK_FALSE(matches("(a|b)*a(a|b){20}", "bab" + std::string(20, 'b')));
}

TEST_CASE("what is no regular expression, or not supported, is refused with its place") {
  const auto at = [](int number, const std::string& problem) {
    return fmt::format("character {} of the regular expression: {}", number, problem);
  };
  CHECK(refused("a)") == at(2, "this ) closes no group"));
  CHECK(refused("é(a") == at(2, "the group has no end"));
  CHECK(refused("[a") == at(1, "the set has no end"));
  CHECK(refused("[]a]") == at(1, "the set is empty; a ] in a set needs a backslash"));
  CHECK(refused("a|*") == at(3, "there is nothing to repeat"));
  CHECK(refused("a**") == at(3, "a repetition of a repetition needs a group"));
  CHECK(refused("a*+") == at(3, "possessive repetitions are not supported"));
  CHECK(refused("a{3,2}") == at(2, "the second count is less than the first"));
  CHECK(refused("a{99999999999999999999}") == at(2, "the count must be at most 10000"));
  CHECK(refused("(a)\\1") == at(4, "back-references are not supported"));
  CHECK(refused("(?=a)") == at(1, "look-around and other special groups are not supported"));
  CHECK(refused("(?<!a)") == at(1, "look-around and other special groups are not supported"));
  CHECK(refused("(?i)a") == at(1, "look-around and other special groups are not supported"));
  CHECK(refused("(?<a") == at(1, "the name of the group has no end"));
  CHECK(refused("\\ba") == at(1, "word boundaries are not supported"));
  CHECK(refused("\\pL") == at(1, "\\p is not supported"));
  CHECK(refused("\\x4") == at(1, "2 hexadecimal digits must follow"));
  CHECK(refused("\\ud800") == at(1, "this is no character"));
  CHECK(refused("a\\") == at(2, "a character must follow the backslash"));
  CHECK(refused("[z-a]") == at(2, "the range ends before it begins"));
  CHECK(refused("[\\d-z]") == at(2, "a range needs two characters"));
  CHECK(refused("[[:alpha:]]") ==
        at(2, "sets with names are not supported; a [ in a set needs a backslash"));
  CHECK(refused("a^b") == at(2,
                             "an anchor is supported only at the ends of the expression or of its "
                             "alternatives"));
  CHECK(refused("a$b") == at(2, "a $ must end the expression or an alternative"));
  CHECK(refused("a\xFF") == "the regular expression: not valid UTF-8 (byte 2)");
  CHECK(refused(std::string(200, '(')) == at(101, "groups are nested deeper than 100"));
  CHECK(refused("((a{1000}){1000}){1000}") ==
        "needs more than 65536 states; use smaller counts or fewer parts");
  CHECK(refused("(((){10000}){10000}){10000}") ==
        "needs more than 65536 states; use smaller counts or fewer parts");
}

}  // namespace calque
