// The YAML reader: what it reads, and what it refuses.
#include "train/config/yaml.h"

#include <random>

#include "train/config/fixture.h"

namespace calque {
namespace {

std::string refusal(const std::string& text) {
  return message_of([&] { parse_yaml(text, "f.yaml"); });
}

TEST_CASE("values have the number of their line") {
  const YamlValue root = parse_yaml("a: 1\n\n# a comment\nb:\n  - x\n  - 'y'\n", "f.yaml");
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].value.place.text() == "f.yaml:1");
  CHECK(root.entries[1].place.text() == "f.yaml:4");
  REQUIRE(root.entries[1].value.items.size() == 2);
  CHECK(root.entries[1].value.items[1].place.text() == "f.yaml:6");
  CHECK(root.entries[1].value.items[1].quoted);
  CHECK_FALSE(root.entries[1].value.items[0].quoted);
}

TEST_CASE("a byte-order mark and Windows line ends are ignored") {
  const YamlValue root = parse_yaml(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: zwei\r\n",
      "f.yaml");
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[1].value.scalar == "zwei");
  CHECK(root.entries[1].value.place.line == 2);
}

TEST_CASE("a repeated key is refused with both lines") {
  CHECK(refusal("a: 1\nb: 2\na: 3\n") == "f.yaml:3: 'a' is given twice, first at f.yaml:1");
}

TEST_CASE("a tab in the indentation is named in the error") {
  CHECK(refusal("a:\n\tb: 1\n") == "f.yaml:2: a tab in the indentation; YAML requires spaces");
  CHECK(refusal("a: 1\t# a tab elsewhere is fine\n").empty());
}

TEST_CASE("anchors and aliases are refused before anything is expanded") {
  CHECK(refusal("a: &x 1\nb: 2\n").find("f.yaml:1: anchors and aliases") == 0);
  CHECK(refusal("a: [*x]\n").find("f.yaml:1:") == 0);
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string(i ? ", *" : "*") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  CHECK(refusal(bomb).find("f.yaml:1: anchors and aliases") == 0);
}

TEST_CASE("tags and second documents are refused") {
  CHECK(refusal("a: !!python/object:x 1\n").find("f.yaml:1: tags (") == 0);
  CHECK(refusal("a: 1\n---\nb: 2\n").find("a second document") != std::string::npos);
}

TEST_CASE("deep nesting is refused, however deep") {
  CHECK(refusal(std::string(10, '[') + std::string(10, ']')).empty());
  CHECK(refusal(std::string(100'000, '[') + std::string(100'000, ']'))
            .find("f.yaml:1: nested more than 16 deep") == 0);
  CHECK(refusal(std::string(100'000, '[')).find("f.yaml:1: ") == 0);
  CHECK(refusal(std::string(100'000, '{')).find("f.yaml:1:") == 0);
  std::string stairs;
  for (int i = 0; i < 400; ++i) stairs += std::string(static_cast<size_t>(i), ' ') + "k:\n";
  CHECK(refusal(stairs).find("nested more than 16 deep") != std::string::npos);
}

TEST_CASE("bytes that are not text are refused with their line") {
  CHECK(refusal(std::string("a: 1\nb: \0", 9)).find("f.yaml:2: not valid UTF-8, or a NUL byte") ==
        0);
  CHECK(refusal("a: \xff\n").find("f.yaml:1: not valid UTF-8") == 0);
  CHECK(refusal("a: \x1b[31m\n").find("f.yaml:1: a control character (byte 27)") == 0);
  CHECK(refusal("\xff\xfe"
                "a\0:\0")
            .find("f.yaml:1:") == 0);
}

TEST_CASE("a decimal comma between braces is refused by its name") {
  CHECK(refusal("a:\n  {heads: 2, dropout: 0,1}\n") ==
        "f.yaml:2: dropout: 0,1: the comma ends the value; write it with a decimal point, 0.1");
  for (const char* text : {"{a: 1, b}", "{a: x, 1}", "{a: 1, 1: 2}", "{1}", "{a: '0',1}"}) {
    CAPTURE(text);
    CHECK(refusal(text).empty());
  }
}

TEST_CASE("broken YAML is an error with a line, never a crash") {
  for (const std::string text :
       {"a: [1, 2\n", "a: 'open\n", "a: \"open\n", "a: 'it''s\n", "a: \"\\\"\n",
        "gr\xC3\xBC\xC3\x9F: 'x\n", "a: \"\\q\"\n", ": 1\n", "a: 1\n b: 2\n", "{a: 1\n",
        "- a\nb: 1\n", "? [x]\n: 1\n", "a: b: c\n", "]\n", "a: @x\n"}) {
    CAPTURE(text);
    CHECK(refusal(text).find("f.yaml:") == 0);
  }
}

TEST_CASE("quotes may hold quotes, and span lines") {
  const YamlValue root =
      parse_yaml("\xC3\xBC: 'it''s'\r\nb: \"\\\"\"\nc: 'two\n  lines'\nd: |\n  'x\n", "f");
  REQUIRE(root.entries.size() == 4);
  CHECK(root.entries[0].value.scalar == "it's");
  CHECK(root.entries[1].value.scalar == "\"");
  CHECK(root.entries[2].value.scalar == "two lines");
  CHECK(root.entries[3].value.scalar == "'x\n");
}

TEST_CASE("random text gives a tree or an error") {
  const std::string alphabet = "ab: \n-[]{},'\"#&*!|>?%\\\t01.~";
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (size_t length = random() % 40; length > 0; --length) {
      text += alphabet[random() % alphabet.size()];
    }
    CAPTURE(text);
    CHECK_NOTHROW(refusal(text));
  }
}

TEST_CASE("any text is the same after writing it as a scalar and reading it") {
  std::mt19937 random(2);
  std::vector<std::string> texts = {"",
                                    "null",
                                    "~",
                                    "true",
                                    "12",
                                    "- a",
                                    "a: b",
                                    "# x",
                                    " x ",
                                    "'q'",
                                    "\"q\"",
                                    "a\\b",
                                    "[x]",
                                    "{x}",
                                    "*x",
                                    "&x",
                                    "!x",
                                    "%x",
                                    "@x",
                                    "`x",
                                    "|",
                                    ">",
                                    "a\nb",
                                    "tab\there",
                                    "gr\xC3\xBC\xC3\x9F"
                                    "e",
                                    "-",
                                    "-5",
                                    "?"};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (size_t length = random() % 12; length > 0; --length) {
      text += static_cast<char>(1 + random() % 126);
    }
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    const YamlValue value = parse_yaml("k: " + yaml_scalar(text) + "\n", "f.yaml");
    CAPTURE(yaml_scalar(text));
    REQUIRE(value.entries.size() == 1);
    CHECK(value.entries[0].value.kind == YamlValue::Kind::scalar);
    CHECK(value.entries[0].value.scalar == text);
  }
}

}  // namespace
}  // namespace calque
