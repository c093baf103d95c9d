// What of HTML and subtitles is translated, and that all else stays byte for byte.
#include <doctest/doctest.h>

#include "data/markup/loud_texts.h"
#include "data/markup/markup_file.h"
#include "data/sentences/splitter.h"
#include "support/message_of.h"

namespace calque {
namespace {

std::string html(const std::string& bytes) { return loud(bytes, MarkupKind::html); }

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
  CHECK(loud(many, MarkupKind::markdown).starts_with("A `b` A `b` "));
  CHECK(loud(unclosed, MarkupKind::markdown).starts_with("A \\<B A \\<B "));
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
  CHECK(read("a\nb\xFF", MarkupKind::html) ==
        "x.y:2: not valid UTF-8 (byte 2); convert it to UTF-8, for example with iconv");
  CHECK(read(std::string("a\0", 2), MarkupKind::markdown).starts_with("x.y:1: a NUL (byte 2)"));
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
