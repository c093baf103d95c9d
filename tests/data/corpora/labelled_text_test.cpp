// Lines of labelled text.
#include "data/corpora/labelled_text.h"

#include <doctest/doctest.h>

#include "data/temporary_folder.h"
#include "support/message_of.h"

using namespace calque;

TEST_CASE("a label ends at the first tab, or at the first space in a line without tabs") {
  const auto parse = [](const char* line) { return parse_labelled_text(line, "a.txt:3"); };
  CHECK(parse("5 How far ?") == LabelledText{{"How far ?"}, {"5"}});
  CHECK(parse("very good\ta film") == LabelledText{{"a film"}, {"very good"}});
  CHECK(parse("same\tone text\tand another") ==
        LabelledText{{"one text", "and another"}, {"same"}});
  for (const char* line : {"", "label", "label ", "\ttext"}) {
    CHECK(message_of([&] { parse(line); }) ==
          "a.txt:3: must be a label, a tab or a space, and a text");
  }
  CHECK(message_of([&] { parse("a\tb\tc\td"); }).starts_with("a.txt:3: has 3 texts"));
}

TEST_CASE("a file has one example per line, and the error about a wrong line names the line") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.txt", "x one\r\ny\ttwo\tthree");
  CHECK(read_labelled_file(file).rows ==
        std::vector<LabelledText>{{{"one"}, {"x"}}, {{"two", "three"}, {"y"}}});
  const auto refused = [&](const char* text) {
    return message_of([&] { read_labelled_file(folder.write("b.txt", text)); });
  };
  CHECK(refused("") == folder.path("b.txt") + ": the file is empty");
  CHECK(refused("x one\n\ny two\n") ==
        folder.path("b.txt") + ":2: must be a label, a tab or a space, and a text");
  CHECK(refused("x one\ny \xff\n") ==
        folder.path("b.txt") +
            ":2: not valid UTF-8 (byte 3); fix the line or set data.invalid_utf8: skip");
  const LabelledFile rest =
      read_labelled_file(folder.write("c.txt", "x one\ny \xff\n"), InvalidText::skip);
  CHECK(rest.rows == std::vector<LabelledText>{{{"one"}, {"x"}}});
  CHECK(rest.skipped == 1);
}
