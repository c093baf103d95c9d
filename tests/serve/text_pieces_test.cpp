// Which parts of a text are sentences, and that the others are kept.
#include "serve/text_pieces.h"

#include <doctest/doctest.h>

namespace calque {
namespace {

// The text with each sentence in brackets, as it would be written again.
std::string marked(const std::string& text, TextFormat format = TextFormat::html) {
  std::string all;
  for (const TextPiece& piece : pieces_of(text, format)) {
    all += piece.sentence ? "(" + written(piece.text, format) + ")" : piece.text;
  }
  return all;
}

TEST_CASE("the sentences of plain text are its lines, including empty lines") {
  CHECK(marked("a <b>\r\n\nc & d", TextFormat::text) == "(a <b>)\r\n()\n(c & d)");
  CHECK(marked("", TextFormat::text) == "()");
}

TEST_CASE("pieces are divided into sentences, and the white space around them is kept") {
  const auto divided_pieces = [](const std::string& text, TextFormat format) {
    std::string all;
    for (const TextPiece& piece : divided(pieces_of(text, format), SentenceSplitter("en"))) {
      all += piece.sentence ? "(" + piece.text + ")" : piece.text;
    }
    return all;
  };
  CHECK(divided_pieces(" One. Two\u3000\r\n\n. ", TextFormat::text) ==
        " (One.) (Two)\u3000\r\n\n(.) ");
  CHECK(divided_pieces("<p>One.\n Two &amp; <b>more</b>.", TextFormat::html) ==
        "<p>(One.) (Two &) <b>(more)</b>(.)");
}

TEST_CASE("the sentences of HTML are the texts between its tags, which are kept") {
  CHECK(marked("<p class=\"x\">one <b>red</b>\n house</p>") ==
        "<p class=\"x\">(one) <b>(red)</b>\n (house)</p>");
  CHECK(marked("two\n   words<br/>more") == "(two words)<br/>(more)");
  CHECK(marked("<a title='1 > 0' href=\"<\">x</a>") == "<a title='1 > 0' href=\"<\">(x)</a>");
  CHECK(marked("<!-- a <b> c -->d<?php e ?>f<!DOCTYPE html>") ==
        "<!-- a <b> c -->(d)<?php e ?>(f)<!DOCTYPE html>");
  CHECK(marked("<script>if (a < b) c = '<p>';</script>d<STYLE>e</Style>f<styled>g") ==
        "<script>if (a < b) c = '<p>';</script>(d)<STYLE>e</Style>(f)<styled>(g)");
  CHECK(marked("<a title = \"1 > 0\">x</a><style-guide>y") ==
        "<a title = \"1 > 0\">(x)</a><style-guide>(y)");
  CHECK(marked("  ") == "  ");
  CHECK(marked("") == "");
}

TEST_CASE("character references of a sentence are decoded, and written again where needed") {
  const auto pieces =
      pieces_of("a &amp; b &lt; &#252;&#xFC; &unknown; &#0; &#xD800; &", TextFormat::html);
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].text == "a & b < üü &unknown; &#0; &#xD800; &");
  const auto names =
      pieces_of("caf&eacute; &iexcl;&Agrave;&divide;&yuml;&ndash;&euro; &Eacut;", TextFormat::html);
  CHECK(names[0].text == "café ¡À÷ÿ–€ &Eacut;");
  CHECK(written("1 < 2 & 3 > 2", TextFormat::html) == "1 &lt; 2 &amp; 3 &gt; 2");
}

TEST_CASE("a < that begins no tag is text, and an unclosed tag extends to the end") {
  CHECK(marked("1 < 2 <3 </ 4") == "(1 &lt; 2 &lt;3 &lt;/ 4)");
  CHECK(marked("a<") == "(a&lt;)");
  CHECK(marked("a<b c=\"d") == "(a)<b c=\"d");
  CHECK(marked("a<!--b") == "(a)<!--b");
  CHECK(marked("a<script") == "(a)<script");
  CHECK(marked("a<script>b</scrip") == "(a)<script>b</scrip");
}

}  // namespace
}  // namespace calque
