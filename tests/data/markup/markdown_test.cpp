// What of Markdown is translated, and that all else stays byte for byte.
#include <doctest/doctest.h>

#include "data/markup/loud_texts.h"

namespace calque {
namespace {

std::string markdown(const std::string& bytes) { return loud(bytes, MarkupKind::markdown); }

TEST_CASE("the texts of Markdown are headings, paragraphs, items and cells") {
  CHECK(markdown("---\ntitle: x\n---\n# one ##\n\ntwo\n===\n\n- three\n  1. four\n- [x] five\n"
                 "> six\n\n---\n***\n[a]: http://x \"t\"\n[^1]: seven\n") ==
        "---\ntitle: X\n---\n# ONE ##\n\nTWO\n===\n\n- THREE\n  1. FOUR\n- [x] FIVE\n"
        "> SIX\n\n---\n***\n[a]: http://x \"t\"\n[^1]: SEVEN\n");
  CHECK(markdown("| a | `b` |\n|---|:-:|\n| c \\| d | <b>e</b> |\n\nf | g") ==
        "| A | `b` |\n|---|:-:|\n| C \\| D | <b>E</b> |\n\nF | G");
}

TEST_CASE("code, formulas and comments of Markdown stay") {
  const std::string kept =
      "```sh\nmake x\n\n~~~\n```\n\n    code\n\n<!-- a\n\nb -->\n\n<?php a\n\nb ?>\n\n$$\nx\n"
      "$$\n\n![](x.png)\n\n~~~\nopen";
  CHECK(markdown(kept) == kept);
  CHECK(markdown("- a\n\n      code\n\n  b\n") == "- A\n\n      code\n\n  B\n");
  CHECK(markdown("run `make x` now :tada: <https://x.org/a>") ==
        "RUN `make x` NOW :tada: <https://x.org/a>");
}

TEST_CASE("emphasis and links of Markdown are tags") {
  CHECK(texts_of("a *b* __c__ [d e](x \"t\") ![f](y) ***g***", MarkupKind::markdown) ==
        Texts{"a b c d e  g", "f"});
  const std::string line = "a *b* __c__ [d](x \"t\") ![f](y) ***g*** ~~h~~ <b>i</b>";
  CHECK(markdown(line) == "A *B* __C__ [D](x \"t\") ![F](y) ***G*** ~~H~~ <b>I</b>");
  CHECK(markdown("see [x/y.md](x/y.md)") == "SEE [x/y.md](x/y.md)");
  CHECK(markdown("[![alt](a.svg)](b) [c][d] [d] [e] [f][]\n\n[d]: x\n[f]: y") ==
        "[![ALT](a.svg)](b) [C][d] [D][d] \\[E\\] [F][f]\n\n[d]: x\n[f]: y");
  CHECK(markdown("2 * 3 a_b_c \\*d\\* *e") == "2 * 3 A_B_C \\*D\\* *E");
}

TEST_CASE("a paragraph of Markdown has lines of its width again, and hard breaks stay") {
  CHECK(markdown("> one two three\n> four\n> five six\n") == "> ONE TWO THREE\n> FOUR FIVE SIX\n");
  CHECK(markdown("one  \ntwo\\\nthree\n") == "ONE  \nTWO  \nTHREE\n");
  CHECK(texts_of("one \\\\\ntwo", MarkupKind::markdown) == Texts{"one \\ two"});
  CHECK(markdown("one two\r\n3. three\r\n") == "ONE\r\nTWO 3.\r\nTHREE\r\n");
}

TEST_CASE("HTML within Markdown is read as HTML") {
  CHECK(
      markdown(
          "<div>\n  <h1>one <b>red</b>\n  house</h1>\n  <img alt=\"two\">\n</div>\n\n*three*\n") ==
      "<div>\n  <h1>ONE <b>RED</b> HOUSE</h1>\n  <img alt=\"TWO\">\n</div>\n\n*THREE*\n");
  CHECK(markdown("> <p>a\n> *b*</p>\n> c\n\nd") == "> <p>A *B*</p>\n> C\n\nD");
  CHECK(markdown("- <p>a\n  b\n- c") == "- <p>A B\n- C");
  CHECK(markdown("<details><summary>a</summary>\n\nb *c*\n\n</details>") ==
        "<details><summary>A</summary>\n\nB *C*\n\n</details>");
  CHECK(markdown("<!-- a\n\n--> b &amp; c\nd") == "<!-- a\n\n--> B &amp; C\nD");
  CHECK(markdown("a\n<span>\nb") == "A <span>\nB");
  CHECK(markdown("x <![CDATA[a]]> y") == "X <![CDATA[a]]> Y");
}

TEST_CASE("an element of Markdown that shall not be translated may have several blocks") {
  CHECK(markdown("<div translate=no>\n\na\n\n<div>b</div>\n\n</div>\n\nc") ==
        "<div translate=no>\n\na\n\n<div>b</div>\n\n</div>\n\nC");
  CHECK(markdown("<pre>\na\n\nb</pre> c\n\nd") == "<pre>\na\n\nb</pre> C\n\nD");
  CHECK(markdown("<p translate=no>\na\n\nb") == "<p translate=no>\na\n\nB");
}

TEST_CASE("lists of Markdown hold lists, quotations, code and paragraphs") {
  CHECK(markdown("1. a\n2. b\n3) c\n4)\n5) d") == "1. A\n2. B\n3) C\n4)\n5) D");
  CHECK(markdown("10. a\n\n    > b\n\n    ```\n    c\n    ```\n\n        d\n\n    e\n") ==
        "10. A\n\n    > B\n\n    ```\n    c\n    ```\n\n        d\n\n    E\n");
  CHECK(markdown("- a\n\t- b\n\n\t  c\n") == "- A\n\t- B\n\n\t  C\n");
  CHECK(markdown("> 1. > a\nb") == "> 1. > A B");
  CHECK(markdown("a\n: b\n: c") == "A\n: B\n: C");
  CHECK(markdown("[^a]: b\n\n    c\n\n        d\n") == "[^a]: B\n\n    C\n\n        d\n");
}

TEST_CASE("a row of a table may lack its bars, and heads have as many cells as the dashes") {
  CHECK(markdown("a\n| b |\n|---|\nc\n> d") == "A\n| B |\n|---|\nC\n> D");
  CHECK(markdown("| a |\n|---|---|\nb") == "| A |\n|---|---|\nB");
}

TEST_CASE("definitions of links may have several lines, and labels are compared without case") {
  CHECK(markdown("[a\nb]:\n/u\n'c\nd'\nsee [A b], [Á][É]\n\n[é]: <x y>") ==
        "[a\nb]:\n/u\n'c\nd'\nSEE [A B][A b], [Á][É]\n\n[é]: <x y>");
  CHECK(markdown("[a]: b c") == "\\[A\\]: B C");
  CHECK(markdown("a\n[b]: c") == "A \\[B\\]:\nC");
  CHECK(markdown("[a][b][c]\n\n[a]: x\n[c]: y") == "\\[A\\][B][c]\n\n[a]: x\n[c]: y");
  CHECK(markdown("\\![a] [b](c(d(e)))\n\n[a]: x") == "\\![A][a] [B](c(d(e)))\n\n[a]: x");
}

TEST_CASE("shortcodes, formulas in a line and the ids of headings stay") {
  CHECK(markdown("# a {#b-c}\n\n{{< x \"y\" >}} d {% e %} $f_g$ costs $5 or $6") ==
        "# A {#b-c}\n\n{{< x \"y\" >}} D {% e %} $f_g$ COSTS $5 OR $6");
  CHECK(markdown("&hilbertspace; a &unknown; b") == "&hilbertspace; A &unknown; B");
}

TEST_CASE("what the translation begins or ends with is no markup") {
  const auto translated = [](const std::string& bytes, const std::string& to) {
    const MarkupFile file(bytes, MarkupKind::markdown, "x");
    return file.with(std::vector<MarkedText>{{to}});
  };
  CHECK(translated("# a", "b ##") == "# b \\##");
  CHECK(translated("a", "b\\") == "b\\\\");
  CHECK(translated("a", "1. b") == "1\\. b");
}

TEST_CASE("title and description of the front matter are texts") {
  CHECK(markdown("---\ntitle: a b\ndescription: \"c\"\nsummary: 'd''s'\ntags: [e]\n---\nf") ==
        "---\ntitle: A B\ndescription: \"C\"\nsummary: 'D''S'\ntags: [e]\n---\nF");
  CHECK(markdown("+++\ntitle = \"a\"\ndraft = true\n+++\nb") ==
        "+++\ntitle = \"A\"\ndraft = true\n+++\nB");
  for (const std::string kept : {"title: &a b", "title: >", "title: \"a \\x41\"", "title: true",
                                 "  title: a", "titles: a", "title: a # b", "title: a: b"}) {
    CHECK(markdown("---\n" + kept + "\n---\n") == "---\n" + kept + "\n---\n");
  }
  CHECK(markdown("---\ntitle: a\n\nb") == "---\nTITLE: A\n\nB");
  const MarkupFile file("---\ntitle: a\nsummary: 'b'\n---\n", MarkupKind::markdown, "x");
  CHECK(file.with(std::vector<MarkedText>{{"a: \"b\""}, {"c's"}}) ==
        "---\ntitle: \"a: \\\"b\\\"\"\nsummary: 'c''s'\n---\n");
}

// The time for these must grow with their length alone.
TEST_CASE("long Markdown with marks that nothing closes is read") {
  const auto repeated = [](const std::string& text) {
    std::string all;
    for (int i = 0; i < 50'000; ++i) all += text;
    return all;
  };
  for (const char* const text :
       {">", "- ", "[", "[a](", "<p translate=no>\n\n", "[a]: b\n", "[^a]: ", "{{a ", "$a ",
        "|---|\n", "<![CDATA[", "> <p>a\n", "[a\n"}) {
    markdown(repeated(text));
  }
  markdown("<div>\n" + repeated("a\n"));
}

}  // namespace
}  // namespace calque
