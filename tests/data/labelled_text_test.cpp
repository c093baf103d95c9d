// Lines of labelled text.
#include "data/labelled_text.h"

#include <doctest/doctest.h>

#include "support/message_of.h"

using namespace calque;

TEST_CASE("a label ends at the first tab, or at the first space in a line without tabs") {
  const auto parse = [](const char* line) { return parse_labelled_text(line, "a.txt:3"); };
  CHECK(parse("5 How far ?") == LabelledText{"5", {"How far ?"}});
  CHECK(parse("very good\ta film") == LabelledText{"very good", {"a film"}});
  CHECK(parse("same\tone text\tand another") == LabelledText{"same", {"one text", "and another"}});
  for (const char* line : {"", "label", "label ", "\ttext"}) {
    CHECK(message_of([&] { parse(line); }) ==
          "a.txt:3: must be a label, a tab or a space, and a text");
  }
  CHECK(message_of([&] { parse("a\tb\tc\td"); }).starts_with("a.txt:3: has 3 texts"));
}
