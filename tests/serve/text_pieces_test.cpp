// Which parts of a text are sentences, and that the others are kept.
#include "serve/text_pieces.h"

#include <doctest/doctest.h>

namespace calque {
namespace {

// The text with each sentence in brackets.
std::string marked(const std::vector<TextPiece>& pieces) {
  std::string all;
  for (const TextPiece& piece : pieces) all += piece.sentence ? "(" + piece.text + ")" : piece.text;
  return all;
}

TEST_CASE("the sentences of plain text are its lines, including empty lines") {
  CHECK(marked(line_pieces("a <b>\r\n\nc & d")) == "(a <b>)\r\n()\n(c & d)");
  CHECK(marked(line_pieces("")) == "()");
}

TEST_CASE("lines are divided into sentences, and the white space around them is kept") {
  CHECK(marked(divided(line_pieces(" One. Two\u3000\r\n\n. "), SentenceSplitter("en"))) ==
        " (One.) (Two)\u3000\r\n\n(.) ");
}

}  // namespace
}  // namespace calque
