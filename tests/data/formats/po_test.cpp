// gettext catalogues: what is read, and that only filled messages are written differently.
#include "data/formats/po.h"

#include <doctest/doctest.h>

#include "data/formats/memory.h"
#include "data/text/charset.h"
#include "support/message_of.h"

namespace calque {
namespace {

const std::string header =
    "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";

std::string refusal(const std::string& text) {
  return message_of([&] { PoFile::parse(text, "x.po"); });
}

TEST_CASE("a catalogue's messages have context, plural forms, flags and unescaped text") {
  const std::string text = header +
                           "# note\n#. extracted\n#: a.c:1\n#, fuzzy, c-format\n#| msgid \"old\"\n"
                           "msgctxt \"menu\"\nmsgid \"one\"\nmsgid_plural \"\"\n\"\\ttwo\\n\"\n"
                           "\"\\\"x\\\\\\x41\\101\"\nmsgstr[0] \"eins\"\nmsgstr[1] \"\"\n"
                           "#~ msgid \"gone\"\n#~ msgstr \"\"\n#~ \"weg\"\n";
  const PoFile file = PoFile::parse(text, "x.po");
  REQUIRE(file.entries().size() == 3);
  CHECK(file.entries()[0].is_header());
  const PoEntry& entry = file.entries()[1];
  CHECK(entry.context == "menu");
  CHECK(entry.id == "one");
  CHECK(entry.plural == "\ttwo\n\"x\\AA");
  CHECK(entry.translations == std::vector<std::string>{"eins", ""});
  CHECK(entry.flags == std::vector<std::string>{"fuzzy", "c-format"});
  CHECK(entry.line == 11);
  CHECK_FALSE(entry.is_translated());
  CHECK_FALSE(entry.is_empty());
  CHECK(file.entries()[2].obsolete);
  CHECK(file.entries()[2].translations == std::vector<std::string>{"weg"});
  CHECK(file.bytes() == text);
}

TEST_CASE("a filled message has new lines and the flag fuzzy; all else stays byte by byte") {
  const std::string before = "  # odd \r\nmsgid   \"a\"\r\n", after =
                                                                  "\r\n\r\n#, c-format\r\n"
                                                                  "msgid \"b\"\r\n";
  const std::string end = "\r\n#~ msgid \"c\"\r\n#~ msgstr \"d\"";
  PoFile file = PoFile::parse(before + "msgstr   \"\"" + after + "msgstr \"\"\r\n" + end, "x.po");
  PoFile both = file;
  both.fill(0, {"A"});
  both.fill(1, {"B\nC\n"});
  CHECK(both.bytes() ==
        "  # odd \r\n#, fuzzy\r\nmsgid   \"a\"\r\nmsgstr \"A\"\r\n\r\n"
        "#, fuzzy, c-format\r\nmsgid \"b\"\r\nmsgstr \"\"\r\n\"B\\n\"\r\n\"C\\n\"\r\n" +
            end);
  file.fill(1, {"B"});
  CHECK(file.bytes().starts_with(before + "msgstr   \"\"\r\n\r\n#, fuzzy,"));
}

TEST_CASE("long translations are wrapped as gettext wraps them") {
  CHECK(po_lines("msgstr", "short", "\n", true) == "msgstr \"short\"\n");
  const std::string words =
      "one word is here and another word is there and the last word ends just here";
  CHECK(po_lines("msgstr", words, "\n", true) == "msgstr \"\"\n\"" + words + "\"\n");
  CHECK(po_lines("msgstr", words + " " + words, "\n", true) ==
        "msgstr \"\"\n\"" + words + " \"\n\"" + words + "\"\n");
  CHECK(po_lines("msgstr", words, "\n", false) == "msgstr \"" + words + "\"\n");
  CHECK(po_lines("msgstr", std::string(100, 'x') + " y", "\n", true) ==
        "msgstr \"\"\n\"" + std::string(100, 'x') + " \"\n\"y\"\n");
}

TEST_CASE("a catalogue in another charset is written in it") {
  const std::string text = converted(
      "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\n"
      "msgid \"a\"\nmsgstr \"ä\"\n\nmsgid \"b\"\nmsgstr \"\"\n",
      "UTF-8", "ISO-8859-1", "x");
  PoFile file = PoFile::parse(text, "x.po");
  CHECK(file.entries()[1].translations.front() == "ä");
  CHECK(file.bytes() == text);
  file.fill(2, {"ö"});
  CHECK(file.bytes().ends_with("msgstr \"\xF6\"\n"));
  file.fill(2, {"ж"});
  CHECK(message_of([&] { file.bytes(); }).find("cannot be converted from UTF-8 to ISO-8859-1") !=
        std::string::npos);
}

TEST_CASE("only the header names the charset") {
  const std::string text = "# charset=koi8-r\nmsgid \"charset=x\"\nmsgstr \"charset=y ä\"\n";
  CHECK(PoFile::parse(text, "x.po").bytes() == text);
  CHECK(PoFile::parse(header + text, "x.po").entries()[1].translations.front() == "charset=y ä");
  const std::string wrapped = "msgid \"\"\n\"charset=x\"\nmsgstr \"\"\n";
  CHECK(PoFile::parse(wrapped, "x.po").entries()[0].id == "charset=x");
}

TEST_CASE("text that is no catalogue is refused with its line") {
  CHECK(refusal(header + "msgid \"a\"\n") ==
        "x.po:5: a message without msgstr; `msgfmt --check` lists what is wrong with a catalogue");
  for (const auto& [text, problem] : std::initializer_list<std::pair<const char*, const char*>>{
           {"msgid a", "a keyword without a string in quotes"},
           {"\"a\"", "a string without a keyword before it"},
           {"msgid \"a", "the string has no closing quote"},
           {"msgid \"a\\", "the string has no closing quote"},
           {"msgid \"a\" b", "text behind the string"},
           {"msgid \"\\q\"", "an unknown escape in the string"},
           {"msgstr \"a\"", "msgstr must follow msgid"},
           {"msgfoo \"a\"", "not a keyword of a catalogue: msgfoo"},
           {"msgid \"a\"\nmsgstr \"\"\nmsgstr \"\"", "a second msgstr of one message"},
           {"msgid \"a\"\nmsgid_plural \"\"\nmsgstr[1] \"\"", "the forms must be msgstr[0], "},
           {"msgid \"a\"\nmsgid_plural \"\"\nmsgstr[x] \"\"", "the number of a plural form"},
           {"msgctxt \"a\"\n", "msgctxt without msgid"},
           {"msgid \"\\xff\"\nmsgstr \"\"", "the message is not valid UTF-8 (byte 1)"},
           {"# \xff", "not valid UTF-8 (byte 3)"}}) {
    CAPTURE(text);
    CHECK(refusal(text).find(problem) != std::string::npos);
  }
  CHECK(refusal("msgid \"\"\nmsgstr \"charset=klingon\\n\"\n") ==
        "x.po: charset klingon: is not known; convert the file to UTF-8");
  CHECK(PoFile::parse("", "x.po").entries().empty());
}

TEST_CASE("the memory knows messages by text, and prefers those of the same context") {
  TranslationMemory memory;
  memory.add(
      PoFile::parse("msgid \"a\"\nmsgstr \"A\"\n\nmsgctxt \"m\"\nmsgid \"a\"\nmsgstr \"M\"\n\n"
                    "#, fuzzy\nmsgid \"f\"\nmsgstr \"F\"\n\n"
                    "msgid \"p\"\nmsgid_plural \"ps\"\nmsgstr[0] \"P\"\nmsgstr[1] \"PS\"\n",
                    "x.po"));
  memory.add("t", "T");
  using Texts = std::vector<std::string>;
  const auto found = [&](const std::string& id, std::optional<std::string> context = {},
                         std::optional<std::string> plural = {}) {
    PoEntry entry;
    entry.id = id;
    entry.context = std::move(context);
    entry.plural = std::move(plural);
    return memory.find(entry, entry.plural ? 2 : 1).value_or(Texts{});
  };
  CHECK(found("a") == Texts{"A"});
  CHECK(found("a", "m") == Texts{"M"});
  CHECK(found("t", "z") == Texts{"T"});
  CHECK(found("f").empty());
  CHECK(found("p", {}, "ps") == Texts{"P", "PS"});
  CHECK(found("p").empty());
}

TEST_CASE("the header has the plural forms, and a message gets as many translations") {
  const std::string header = "# x\nmsgid \"\"\nmsgstr \"Language: ar\\n\"\n\"Plural-Forms: ";
  const std::string message =
      "\\n\"\n\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
  PoFile file = PoFile::parse(header + "nplurals=3; plural=n;" + message, "x.po");
  CHECK(message_of([&] {
          file.plural_forms();
        }).starts_with("x.po:4: Plural-Forms: selects form 3 for n = 3, but nplurals is 3; "));
  file = PoFile::parse(header + "nplurals=3; plural=n>1 ? 2 : n;" + message, "x.po");
  CHECK(file.header_from("Language").starts_with("ar\nPlural-Forms: nplurals=3"));
  CHECK(file.plural_forms()->form_of(1) == 1);
  file.fill(1, {"A", "B", "C"});
  CHECK(
      file.bytes().ends_with("#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"A\"\n"
                             "msgstr[1] \"B\"\nmsgstr[2] \"C\"\n"));
  CHECK_FALSE(PoFile::parse(header + "nplurals=INTEGER; plural=EXPRESSION;" + message, "x.po")
                  .plural_forms());
  CHECK_FALSE(PoFile::parse("msgid \"a\"\nmsgstr \"\"\n", "x.po").plural_forms());
}

}  // namespace
}  // namespace calque
