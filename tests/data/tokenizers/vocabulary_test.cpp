#include "data/tokenizers/vocabulary.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "data/files/file.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"

using namespace calque;

namespace {

std::string refusal(const std::string& path) {
  return message_of([&] { Vocabulary::load(path); });
}

}  // namespace

TEST_CASE("the special symbols are 0, 1 and 2") {
  const Vocabulary vocabulary;
  CHECK(vocabulary.size() == 3);
  CHECK(vocabulary.find("<unk>") == unknown_id);
  CHECK(vocabulary.find("<s>") == begin_id);
  CHECK(vocabulary.find("</s>") == end_id);
  CHECK_FALSE(vocabulary.find("word"));
}

TEST_CASE("a vocabulary file has one symbol per line, and text after a tab is ignored") {
  const TemporaryFolder folder;
  const std::string path = folder.write("v", "<unk>\n<s>\n</s>\t0\ndas\t7\nM\u00e4dchen\t2\n");
  const Vocabulary loaded = Vocabulary::load(path);
  CHECK(loaded.size() == 5);
  CHECK(loaded.symbol(2) == "</s>");
  CHECK(loaded.symbol(3) == "das");
  CHECK(loaded.symbol(4) == "M\u00e4dchen");
  CHECK(loaded.find("das") == 3);
}

TEST_CASE("the error about a vocabulary file names the file, and the line if one line is wrong") {
  const TemporaryFolder folder;
  const std::string start = "<unk>\n<s>\n</s>\n";
  std::string path = folder.write("twice", start + "a\nb\na\t12\n");
  CHECK(refusal(path) == path + ":6: 'a' is a duplicate of line 4; remove one of them");
  path = folder.write("special", start + "<s>\n");
  CHECK(refusal(path) == path + ":4: '<s>' is a duplicate of line 2; remove one of them");
  path = folder.write("order", "<s>\n<unk>\n</s>\n");
  CHECK(refusal(path).starts_with(path + ":1: '<s>' instead of <unk>"));
  path = folder.write("short", "<unk>\n<s>\n");
  CHECK(refusal(path) == path + ": only 2 lines; the first three must be <unk>, <s>, </s>");
  path = folder.write("hole", start + "a\n\nb\n");
  CHECK(refusal(path).starts_with(path + ":5: an empty symbol"));
  path = folder.write("returns", start + "a\r\nb\r\r\n");
  CHECK(refusal(path).starts_with(path + ":5: a carriage return within a symbol"));
  path = folder.write("latin", start + "gr\xFC\xDF\n");
  CHECK(refusal(path).starts_with(path + ":4: not valid UTF-8 (byte 3)"));
  path = folder.write("nul", start + std::string("a\0b\n", 4));
  CHECK(refusal(path).starts_with(path + ":4: a NUL (byte 2)"));
  path = folder.write("long", start + std::string(3 << 20, 'a'));
  CHECK(refusal(path).starts_with(path + ":4: the line is too long"));
  path = folder.write("empty", "");
  CHECK(refusal(path) == path + ": the file is empty");
}

TEST_CASE("a symbol that a file cannot hold is refused") {
  Vocabulary vocabulary;
  CHECK_THROWS_AS(vocabulary.add(""), Misuse);
  CHECK_THROWS_AS(vocabulary.add("a\tb"), Misuse);
  CHECK_THROWS_AS(vocabulary.add("a\nb"), Misuse);
  CHECK_THROWS_AS(vocabulary.add("<s>"), Misuse);
}
