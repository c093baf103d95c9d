// What of HTML, Markdown and subtitles is translated, and that all else stays byte for byte. The
// translation of these tests is the text in capitals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>

#include "data/markup/markup_file.h"
#include "data/sentences/splitter.h"
#include "support/message_of.h"

namespace calque {
namespace {

MarkedText loud(MarkedText text) {
  for (char& c : text.text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string loud(const std::string& bytes, MarkupKind kind) {
  const MarkupFile file(bytes, kind, "x");
  std::vector<MarkedText> same, translations;
  for (const MarkupText& each : file.texts()) {
    same.push_back(each.text);
    translations.push_back(loud(each.text));
  }
  CHECK(file.with(same) == bytes);
  return file.with(translations);
}

std::string html(const std::string& bytes) { return loud(bytes, MarkupKind::html); }
std::string markdown(const std::string& bytes) { return loud(bytes, MarkupKind::markdown); }

std::vector<std::string> texts_of(const std::string& bytes, MarkupKind kind) {
  const MarkupFile file(bytes, kind, "x");
  std::vector<std::string> texts;
  for (const MarkupText& each : file.texts()) texts.push_back(each.text.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("the texts of HTML are its blocks, with inline tags in them") {
  CHECK(html("<p class=\"x\">one <b>red</b>\n  house.</p>\n<ul><li>a<li>b<br>c</ul>") ==
        "<p class=\"x\">ONE <b>RED</b> HOUSE.</p>\n<ul><li>A<li>B<br>C</ul>");
  CHECK(texts_of("<p><b>one</b> <a href=x>two</a>", MarkupKind::html) == Texts{"one two"});
  CHECK(html("<title>a</title><td> b </td><b> <i>c</i></b>") ==
        "<title>A</title><td> B </td><b> <i>C</i></b>");
  CHECK(html("a <img src=x alt='b &amp; c'> d <input placeholder=\"e\" value=f>") ==
        "A <img src=x alt='B &amp; C'> D <input placeholder=\"E\" value=f>");
  CHECK(html("<meta name=description content=\"a b\"><meta name=x content=\"a\">") ==
        "<meta name=description content=\"A B\"><meta name=x content=\"a\">");
}

TEST_CASE("scripts, code, comments and what shall not be translated stay") {
  const std::string kept =
      "<!DOCTYPE html><script>if (a < b) c = '<p>';</script><style>p > a {}</style>"
      "<pre>a\n <b>b</b></pre><textarea>c</textarea><!-- d <b> e --><?php f ?>"
      "<p translate=no>g<p>h</p></p><code>i</code><div class='notranslate'>j<div>k</div>l</div>";
  CHECK(html(kept) == kept);
  CHECK(html("run <code>make <i>all</i></code> or <!-- x -->go") ==
        "RUN <code>make <i>all</i></code> OR <!-- x -->GO");
  CHECK(html("a <span translate=\"no\">b</span> c") == "A <span translate=\"no\">b</span> C");
}

TEST_CASE("character references become characters for the model, and unknown ones are kept") {
  CHECK(texts_of("caf&eacute; &amp; &#252;&lt;b", MarkupKind::html) == Texts{"café & ü<b"});
  CHECK(html("x &amp; y &lt;z&gt;&nbsp;1 &hearts; & &#0;") ==
        "X &amp; Y &lt;Z&gt;&nbsp;1 &hearts; &amp; &#0;");
  CHECK(html("ab&shy;cd") == "ABCD");
  // Not every XML file knows &nbsp;.
  CHECK(loud("<?xml version=\"1.0\"?><p title=\"a&#160;b\">c&#160;d</p>", MarkupKind::xhtml) ==
        "<?xml version=\"1.0\"?><p title=\"A\u00A0B\">C\u00A0D</p>");
  CHECK(html("a \uFDD0"
             "7\uFDD1 b") ==
        "A \uFDD0"
        "7\uFDD1 B");
}

TEST_CASE("what HTML leaves open or closes twice stays as it is") {
  CHECK(html("a <b>b <i>c</b> d</i> e") == "A <b>B <i>C</b> D</i> E");
  CHECK(html("</b>a</i> b <u>c") == "</b>A</i> B <u>C");
  CHECK(html("a<b c=\"d") == "A<b c=\"d");
  CHECK(html("a<!--b") == "A<!--b");
  CHECK(html("a<script>b</scrip") == "A<script>b</scrip");
  CHECK(html("1 < 2 a") == "1 &lt; 2 A");
  std::string deep = "x";
  for (int i = 0; i < 1000; ++i) deep = "<b>a " + deep + "</b>";
  CHECK(html(deep).size() == deep.size());
}

TEST_CASE("the language of an HTML file is that of its translation") {
  MarkupFile file("<html lang=\"en-GB\" xml:lang=fr><p lang=en>a</p>", MarkupKind::html, "x");
  file.change_language("en", "de", "t.html");
  CHECK(file.with(std::vector<MarkedText>{{"b"}}) ==
        "<html lang=\"de\" xml:lang=fr><p lang=en>b</p>");
}

TEST_CASE("the texts of Markdown are headings, paragraphs, items and cells") {
  CHECK(markdown("---\ntitle: x\n---\n# one ##\n\ntwo\n===\n\n- three\n  1. four\n- [x] five\n"
                 "> six\n\n---\n***\n[a]: http://x \"t\"\n[^1]: seven\n") ==
        "---\ntitle: x\n---\n# ONE ##\n\nTWO\n===\n\n- THREE\n  1. FOUR\n- [x] FIVE\n"
        "> SIX\n\n---\n***\n[a]: http://x \"t\"\n[^1]: SEVEN\n");
  CHECK(markdown("| a | `b` |\n|---|:-:|\n| c \\| d | <b>e</b> |\n\nf | g") ==
        "| A | `b` |\n|---|:-:|\n| C \\| D | <b>E</b> |\n\nF | G");
}

TEST_CASE("code, formulas and HTML blocks of Markdown stay") {
  const std::string kept =
      "```sh\nmake x\n\n~~~\n```\n\n    code\n\n<div>\n  text\n</div>\n\n<!-- a\n\nb -->\n\n$$\nx\n"
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

TEST_CASE("subtitles keep numbers, times and tags") {
  const std::string srt =
      "\xEF\xBB\xBF"
      "1\r\n00:00:01,000 --> 00:00:02,000 X1:5\r\n{\\an8}<i>one</i> day.\r\n\r\n"
      "2\r\n00:00:03,000 --> 00:00:04,000\r\n- two?\r\n- three!\r\n\r\n"
      "3\r\n00:00:05,000 --> 00:00:06,000\r\n\r\n";
  std::string expected = srt;
  for (const char* word : {"one", "day", "two", "three"}) {
    const std::string lower = word;
    for (size_t i = 0, at = expected.find(lower); i < lower.size(); ++i) {
      expected[at + i] = static_cast<char>(std::toupper(expected[at + i]));
    }
  }
  CHECK(loud(srt, MarkupKind::srt) == expected);
  CHECK(
      loud("WEBVTT - x\n\nNOTE a\n\nSTYLE\nb\n\nid\n00:01.000 --> 00:02.000 line:0\n<v Al>a &amp; "
           "<00:01.500>b</v>\n",
           MarkupKind::vtt) ==
      "WEBVTT - x\n\nNOTE a\n\nSTYLE\nb\n\nid\n00:01.000 --> 00:02.000 line:0\n<v Al>A &amp; "
      "<00:01.500>B</v>\n");
}

TEST_CASE("a sentence of several subtitles is one text, and lines are divided again") {
  const std::string srt =
      "1\n00:00:01,000 --> 00:00:02,000\nwhen i came\nhome late\n\n"
      "2\n00:00:02,000 --> 00:00:03,000\nit was dark.\n\n"
      "3\n00:00:03,000 --> 00:00:04,000\nnext\n\n4\n00:01:03,000 --> 00:01:04,000\nlater\n";
  CHECK(texts_of(srt, MarkupKind::srt) ==
        Texts{"when i came home late it was dark.", "next", "later"});
  CHECK(loud(srt, MarkupKind::srt) ==
        "1\n00:00:01,000 --> 00:00:02,000\nWHEN I CAME HOME LATE\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\nIT WAS DARK.\n\n"
        "3\n00:00:03,000 --> 00:00:04,000\nNEXT\n\n4\n00:01:03,000 --> 00:01:04,000\nLATER\n");
  CHECK(loud("1\n00:00:01,000 --> 00:00:02,000\nthis is a line of far more than forty-two "
             "characters, and it is divided\n",
             MarkupKind::srt) ==
        "1\n00:00:01,000 --> 00:00:02,000\nTHIS IS A LINE OF FAR MORE THAN FORTY-TWO CHARACTERS, "
        "AND IT IS DIVIDED\n");
}

// The time for these must grow with their length alone: it is far below a second for each.
TEST_CASE("long texts with much markup stay what they are") {
  constexpr size_t count = 100'000;
  std::string many, unclosed, pages, changed;
  for (size_t i = 0; i < count; ++i) {
    many += "a `b` ";
    unclosed += "a <b ";
    pages += "<html lang=\"de\">a";
    changed += "<html lang=\"en\">A";
  }
  CHECK(texts_of(many, MarkupKind::markdown).size() == 1);
  CHECK(markdown(many).starts_with("A `b` A `b` "));
  CHECK(markdown(unclosed).starts_with("A \\<B A \\<B "));
  CHECK(loud("00:01.000 --> 00:02.000\n" + unclosed, MarkupKind::srt).find("A <B A <B") !=
        std::string::npos);
  MarkupFile file(pages, MarkupKind::html, "x");
  file.change_language("de", "en", "t.html");
  std::vector<MarkedText> translations;
  for (const MarkupText& each : file.texts()) translations.push_back(loud(each.text));
  CHECK(file.with(translations) == changed);
}

TEST_CASE("errors name the file and the line") {
  const auto read = [](const std::string& bytes, MarkupKind kind) {
    return message_of([&] { MarkupFile(bytes, kind, "x.y"); });
  };
  CHECK(read("a\nb\xFF", MarkupKind::html) == "x.y:2: not valid UTF-8 (byte 2)");
  CHECK(read(std::string("a\0", 2), MarkupKind::markdown) == "x.y:1: a NUL (byte 2)");
  CHECK(read("a\n", MarkupKind::vtt) == "x.y:1: WebVTT begins with WEBVTT");
  CHECK(read("a\n", MarkupKind::srt).starts_with("x.y:1: no subtitle"));
  CHECK(message_of([] { MarkupFile::read("a.txt"); }).starts_with("a.txt: not a document"));
  CHECK(markup_kind("A.HTM") == MarkupKind::html);
  for (const MarkupKind kind : {MarkupKind::html, MarkupKind::markdown, MarkupKind::srt}) {
    CHECK(loud("", kind).empty());
  }
}

TEST_CASE("a text divided into sentences and joined again has the same tags") {
  const MarkupFile file("A <b>boy. Cats <i>do</i>. <u>Eve</u> is.</b> Go <img>! How",
                        MarkupKind::html, "x");
  const MarkedText& whole = file.texts()[0].text;
  const std::vector<TextRange> ranges = SentenceSplitter("en").split(whole.text);
  CHECK(ranges.size() == 5);
  const std::vector<MarkedText> sentences = marked_sentences(whole, ranges);
  CHECK(with_marked_sentences(whole, ranges, sentences) == whole);
  CHECK(sentences[2].tags.size() == 3);
}

}  // namespace
}  // namespace calque
