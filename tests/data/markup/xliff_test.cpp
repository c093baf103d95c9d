// XLIFF as a document: which units are translated, and what is written. The translation of these
// tests is the text in capitals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "data/markup/markup_file.h"
#include "support/message_of.h"

namespace calque {
namespace {

std::string filled(const std::string& bytes, const char* from = "en", const char* to = "de") {
  MarkupFile file(bytes, MarkupKind::xliff, "x.xlf");
  file.change_language(from, to, "x.xlf");
  std::vector<MarkedText> translations;
  for (const MarkupText& each : file.texts()) {
    MarkedText text = each.text;
    std::ranges::transform(text.text, text.text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    translations.push_back(std::move(text));
  }
  return file.with(translations);
}

std::string version1(const std::string& units) {
  return "<?xml version=\"1.0\"?>\n<xliff version=\"1.2\"><file source-language=\"en\" "
         "target-language=\"de\"><body>\n" +
         units + "</body></file></xliff>\n";
}
std::string version2(const std::string& segments) {
  return "<xliff version=\"2.0\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\">\n" +
         segments + "</unit></file></xliff>\n";
}

TEST_CASE("a unit without a target gets one behind its source, on a line of its own") {
  CHECK(filled(version1("  <trans-unit id=\"1\">\n    <source>one &amp; two</source>\n"
                        "  </trans-unit>\n")) ==
        version1("  <trans-unit id=\"1\">\n    <source>one &amp; two</source>\n"
                 "    <target state=\"needs-review-translation\">ONE &amp; TWO</target>\n"
                 "  </trans-unit>\n"));
  CHECK(filled(version2("<segment><source>a &lt; b</source></segment>")) ==
        version2("<segment><source>a &lt; b</source><target>A &lt; B</target></segment>"));
  CHECK(filled(version2("<segment state=\"initial\"><source>a<![CDATA[<&]]></source>"
                        "<target/></segment>")) ==
        version2("<segment state=\"translated\"><source>a<![CDATA[<&]]></source>"
                 "<target>A&lt;&amp;</target></segment>"));
}

TEST_CASE("what is translated or shall not be stays") {
  const std::string done = version1(
      "<trans-unit id=\"1\"><source>a</source><target>b</target></trans-unit>"
      "<trans-unit id=\"2\" translate=\"no\"><source>a</source></trans-unit>"
      "<group translate=\"no\"><trans-unit id=\"3\"><source>a</source></trans-unit></group>"
      "<trans-unit id=\"4\" approved=\"yes\"><source>a</source><target/></trans-unit>"
      "<trans-unit id=\"5\"><source>12 <x id=\"1\"/></source></trans-unit>"
      "<!-- <trans-unit><source>a</source></trans-unit> -->");
  CHECK(filled(done) == done);
  CHECK(filled(version1("<trans-unit><source>a</source><alt-trans><source>x</source>"
                        "<target>y</target></alt-trans></trans-unit>")) ==
        version1("<trans-unit><source>a</source><target state=\"needs-review-translation\">A"
                 "</target><alt-trans><source>x</source><target>y</target></alt-trans>"
                 "</trans-unit>"));
}

TEST_CASE("a new target is replaced, with its other attributes") {
  CHECK(filled(version1("<trans-unit><source>a</source><target xml:lang=\"de\" state='new' "
                        "id=\"t\">a</target></trans-unit>")) ==
        version1("<trans-unit><source>a</source><target xml:lang=\"de\" id=\"t\" "
                 "state=\"needs-review-translation\">A</target></trans-unit>"));
  CHECK(
      filled("<n:xliff xmlns:n=\"u\" version=\"1.2\"><n:file source-language=\"en\"><n:trans-unit>"
             "<n:source>a</n:source></n:trans-unit></n:file></n:xliff>") ==
      "<n:xliff xmlns:n=\"u\" version=\"1.2\"><n:file source-language=\"en\" "
      "target-language=\"de\"><n:trans-unit><n:source>a</n:source><n:target "
      "state=\"needs-review-translation\">A</n:target></n:trans-unit></n:file></n:xliff>");
}

TEST_CASE("codes are tags of the text, and those around it stay around it") {
  CHECK(filled(version2("<segment><source> <ph id=\"1\"/><pc id=\"2\">a <mrk id=\"3\">b</mrk></pc>"
                        " c<ph id=\"4\"/> d </source></segment>")) ==
        version2("<segment><source> <ph id=\"1\"/><pc id=\"2\">a <mrk id=\"3\">b</mrk></pc>"
                 " c<ph id=\"4\"/> d </source><target> <ph id=\"1\"/><pc id=\"2\">A "
                 "<mrk id=\"3\">B</mrk></pc> C<ph id=\"4\"/> D </target></segment>"));
  const std::string codes =
      "a <bpt id=\"1\">&lt;b><sub>x</sub></bpt>b<ept id=\"1\">&lt;/b></ept> <bx id=\"2\"/>c"
      "<ex id=\"2\"/> d";
  const MarkupFile file(version1("<trans-unit><source>" + codes + "</source></trans-unit>"),
                        MarkupKind::xliff, "x.xlf");
  REQUIRE(file.texts().size() == 1);
  const MarkedText& text = file.texts()[0].text;
  CHECK(text.text == "a b c d");
  REQUIRE(text.tags.size() == 4);
  CHECK(text.tags[0].pair == text.tags[1].pair);
  CHECK(text.tags[2].pair == text.tags[3].pair);
  CHECK(text.tags[2].role == TagRole::opening);
}

TEST_CASE("instructions, comments and elements of any name stay as they are") {
  const std::string odd = "a <?x 1 > 2 <ph> ?>b<!-- <g> --> <_g>c</_g> d";
  CHECK(filled(version1("<?y <source> ?><trans-unit><source>" + odd + "</source></trans-unit>")) ==
        version1("<?y <source> ?><trans-unit><source>" + odd +
                 "</source><target state=\"needs-review-translation\">A <?x 1 > 2 <ph> ?>B<!-- <g> "
                 "--> <_g>C</_g> D</target></trans-unit>"));
}

TEST_CASE("files that are no XLIFF, of other languages or damaged are refused with their line") {
  const auto message = [](const std::string& bytes) {
    return message_of<Error>([&] { filled(bytes); });
  };
  CHECK(message("<tmx><tu/></tmx>") == "x.xlf: not XLIFF: its first element is another");
  CHECK(message("<xliff>\n<file></xliff>") ==
        "x.xlf:2: is not well-formed XML: mismatched tag; correct the file");
  CHECK(message("") == "x.xlf:1: is not well-formed XML: no element found; correct the file");
  CHECK(message("<xliff>\n<file source-language='fr'/></xliff>") ==
        "x.xlf:2: is in the language fr; the model translates from en to de");
  CHECK(message("<xliff srcLang='en-GB' trgLang='cs'/>") ==
        "x.xlf:1: is in the language cs; the model translates from en to de");
  CHECK(message("<!DOCTYPE x [<!ENTITY a 'b'>]><xliff/>").find("declares the entity a") !=
        std::string::npos);
}

}  // namespace
}  // namespace calque
