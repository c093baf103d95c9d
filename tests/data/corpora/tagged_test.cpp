// Files of tagged words.
#include "data/corpora/tagged.h"

#include <doctest/doctest.h>

#include "data/temporary_folder.h"
#include "support/message_of.h"

using namespace calque;

namespace {

using Sentences = std::vector<LabelledText>;

const Sentences two = {{{"U.N.", "official"}, {"B-ORG", "O"}}, {{"#"}, {"SYM"}}};

}  // namespace

TEST_CASE("the word is the first column and its tag the last; an empty line ends a sentence") {
  const TemporaryFolder folder;
  const auto read = [&](const char* text) {
    return read_tagged_file(folder.write("a.txt", text)).rows;
  };
  CHECK(read("U.N.\tB-ORG\nofficial\tO\n\n#\tSYM\n") == two);
  CHECK(read("\n\nU.N. NNP  I-NP B-ORG\r\nofficial NN I-NP O\r\n \t\r\n# # B-NP SYM") == two);
  CHECK(read("-DOCSTART- -X- O O\nU.N. B-ORG\nofficial O\n-DOCSTART- O\n# SYM\n") == two);
  CHECK(read("New York\tB-LOC\n") == Sentences{{{"New York"}, {"B-LOC"}}});
}

TEST_CASE("a CoNLL-U file has the word in column 2 and the tag in column 4") {
  const TemporaryFolder folder;
  const std::string rest = "\t_\t_\t0\troot\t_\t_\n";
  const std::string file = folder.write(
      "a.conllu", "# newdoc\n# text = vámonos al mar\n1-2\tvámonos\t_\t_" + rest +
                      "1\tvamos\tir\tVERB" + rest + "2\tnos\tnosotros\tPRON" + rest +
                      "2.1\tfue\tir\tVERB" + rest + "\n# text = #\n1\t#\t#\tSYM" + rest);
  CHECK(read_tagged_file(file).rows ==
        Sentences{{{"vamos", "nos"}, {"VERB", "PRON"}}, {{"#"}, {"SYM"}}});
  CHECK(message_of([&] {
          read_tagged_file(folder.write("b.conllu", "1\tir\tir\tVERB" + rest + "2\tyo\n"));
        }) == folder.path("b.conllu") + ":2: has 2 columns; the first word has ten, as in CoNLL-U");
}

TEST_CASE("an error about tagged words names the file and the line") {
  const TemporaryFolder folder;
  const std::string file = folder.path("a.txt");
  const auto refused = [&](const char* text) {
    return message_of([&] { read_tagged_file(folder.write("a.txt", text)); });
  };
  CHECK(refused("") == file + ": the file is empty");
  CHECK(refused("\n\n-DOCSTART- O\n") == file + ": has no tagged sentence");
  for (const char* line : {"word", "word\t", "\tO", " word "}) {
    CHECK(refused((std::string("a O\n") + line + "\n").c_str()) ==
          file +
              ":2: must be a word, a tab or a space, and its tag; an empty line ends a sentence");
  }
  CHECK(refused("a O\n\nb \xff\n") ==
        file + ":3: not valid UTF-8 (byte 3); fix the line or set data.invalid_utf8: skip");
}

TEST_CASE("a tagged sentence with text that is not UTF-8 is skipped as a whole") {
  const TemporaryFolder folder;
  const LabelledFile read = read_tagged_file(
      folder.write("a.txt", "a O\n\xff O\nc O\n\nd O\n\ne \xff\n"), InvalidText::skip);
  CHECK(read.rows == Sentences{{{"d"}, {"O"}}});
  CHECK(read.skipped == 2);
}
