// Pairs of texts from TMX, XLIFF and gettext catalogues, and what is refused.
#include "data/formats/pairs.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "data/corpora/corpus.h"
#include "data/files/gzip_bytes.h"
#include "data/formats/pair_writer.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"

namespace calque {
namespace {

using Pairs = std::vector<std::string>;  // "line: source | target"

struct PairFiles {
  TemporaryFolder folder;

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder.path(name), std::ios::binary) << bytes;
    return folder.path(name);
  }
  Pairs pairs(const std::string& name, const std::string& bytes,
              const PairLanguages& languages = {"en", "de"}) const {
    Pairs found;
    read_pairs(write(name, bytes), languages,
               [&](const std::string& source, const std::string& target, int64_t line) {
                 found.push_back(std::to_string(line) + ": " + source + " | " + target);
               });
    return found;
  }
  // Without the folder.
  std::string refusal(const std::string& name, const std::string& bytes) const {
    const std::string message = message_of([&] { pairs(name, bytes); });
    return message.substr(std::min(message.size(), folder.path("").size()));
  }
};

const std::string tmx =
    "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx><body>\n"
    "<tu><note>n</note><tuv xml:lang=\"en-US\"><seg>A <bpt i=\"1\">&lt;b&gt;</bpt>red"
    "<ept i=\"1\">&lt;/b&gt;</ept> &amp; <hi>big</hi>\ncow</seg></tuv>\n"
    "<tuv xml:lang=\"DE\"><seg>Eine Kuh</seg></tuv><tuv "
    "xml:lang=\"de\"><seg>Rind</seg></tuv></tu>\n"
    "<tu><tuv xml:lang=\"fr\"><seg>vache</seg></tuv></tu>\n</body></tmx>\n";

TEST_CASE("a translation memory has pairs in any two of its languages") {
  const PairFiles files;
  CHECK(files.pairs("a.tmx", tmx) == Pairs{"4: A red & big\ncow | Eine Kuh"});
  CHECK(files.pairs("a.tmx", tmx, {"de", "en"}) == Pairs{"4: Eine Kuh | A red & big\ncow"});
  CHECK(files.pairs("a.tmx.gz", gzip_bytes(tmx)).size() == 1);
  CHECK(
      message_of([&] {
        files.pairs("a.tmx", tmx, {"en", "eu"});
      }).ends_with("a.tmx: none of its 2 units has both en and eu; set the languages of the file"));
}

TEST_CASE("XLIFF 1.2 and 2.0 have pairs of translated units, in either direction") {
  const PairFiles files;
  const std::string old =
      "<xliff version=\"1.2\" xmlns:z=\"urn:z\"><file source-language=\"en-GB\" "
      "target-language=\"de\">"
      "<body>\n<trans-unit id=\"1\"><source>A <g id=\"1\">cow</g><x id=\"2\"/></source>\n"
      "<target>Eine Kuh</target><alt-trans><source>s</source><target>t</target></alt-trans>"
      "</trans-unit>\n<trans-unit id=\"2\"><source>b</source><target state=\"new\">b</target>"
      "</trans-unit><trans-unit id=\"3\"><source>c</source></trans-unit></body></file></xliff>";
  CHECK(files.pairs("a.xlf", old) == Pairs{"2: A cow | Eine Kuh"});
  CHECK(files.pairs("a.xlf", old, {"de", "en"}) == Pairs{"2: Eine Kuh | A cow"});
  CHECK(message_of([&] {
          files.pairs("a.xlf", old, {"en", "fr"});
        })
            .ends_with(
                "a.xlf:1: is from en-GB to de, not from en to fr; set the languages of the file"));
  const std::string young =
      "<x:xliff xmlns:x=\"urn:x\" srcLang=\"en\" trgLang=\"de\"><x:unit><x:segment state=\"final\">"
      "<x:source>A <x:pc>cow</x:pc></x:source><x:target>Kuh</x:target></x:segment>"
      "<x:segment state=\"initial\"><x:source>b</x:source><x:target>b</x:target></x:segment>"
      "</x:unit></x:xliff>";
  CHECK(files.pairs("a.xliff", young) == Pairs{"1: A cow | Kuh"});
}

const std::string catalogue =
    "msgid \"\"\nmsgstr \"Language: de_AT\\n\"\n\nmsgid \"one\\ncow\"\nmsgid_plural \"cows\"\n"
    "msgstr[0] \"eine\\tKuh\"\nmsgstr[1] \"Kühe\"\n\n#, fuzzy\nmsgid \"a\"\nmsgstr \"b\"\n\n"
    "msgid \"c\"\nmsgstr \"\"\n";

TEST_CASE("a catalogue has pairs of its translated messages and plurals") {
  const PairFiles files;
  CHECK(files.pairs("a.po", catalogue) == Pairs{"4: one\ncow | eine\tKuh", "4: cows | Kühe"});
  CHECK(files.pairs("a.po", catalogue, {"de", "en"}) ==
        Pairs{"4: eine\tKuh | one\ncow", "4: Kühe | cows"});
}

TEST_CASE("the singular of a catalogue is the form of 1, the plural that of 5") {
  const PairFiles files;
  const std::string other =
      "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=4; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 3 : "
      "2;\\n\"\n\n"
      "msgid \"cow\"\nmsgid_plural \"cows\"\nmsgstr[0] \"a\"\nmsgstr[1] \"b\"\nmsgstr[2] \"c\"\n"
      "msgstr[3] \"d\"\n";
  CHECK(files.pairs("a.po", other) == Pairs{"4: cow | b", "4: cows | c"});
}

TEST_CASE("a compiled catalogue has the pairs of its messages, in both byte orders") {
  const PairFiles files;
  for (const bool big : {false, true}) {
    std::string bytes;
    const auto add = [&](uint32_t value) {
      for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (big ? 24 - 8 * i : 8 * i));
    };
    const std::string texts(
        "m\x04"
        "cow\0cows\0Kuh\0K\xC3\xBC"
        "he\0",
        21);
    for (const uint32_t value : {0x950412DEu, 0u, 1u, 28u, 36u, 0u, 0u, 10u, 44u, 9u, 55u})
      add(value);
    CHECK(files.pairs("a.mo", bytes + texts) == Pairs{"2: cow | Kuh", "2: cows | Kühe"});
    for (size_t size = 0; size < bytes.size() + 8; ++size) {
      CHECK(files.refusal("a.mo", (bytes + texts).substr(0, size)) ==
            "a.mo: is no compiled catalogue, or damaged");
    }
  }
}

TEST_CASE("hostile and broken XML is refused with its line") {
  const PairFiles files;
  CHECK(files.refusal("a.tmx", "<!DOCTYPE tmx [\n<!ENTITY a \"aaaa\">\n]><tmx>&a;</tmx>") ==
        "a.tmx:2: declares the entity a; write its text instead");
  CHECK(files.refusal("a.tmx",
                      "<!DOCTYPE tmx [<!ENTITY % p SYSTEM \"file:///etc/passwd\">]><tmx/>") ==
        "a.tmx:1: declares the entity p; write its text instead");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<a>";
  CHECK(files.refusal("a.xlf", deep) ==
        "a.xlf:1: elements are nested deeper than 200; correct the file");
  CHECK(files.refusal("a.tmx", "<tmx>" + std::string(2 << 20, 'x') + "</tmx>")
            .starts_with("a.tmx:1: a text of more than 1048576 bytes"));
  CHECK(files.refusal("a.tmx", "<tmx>\n<tu></tmx>") ==
        "a.tmx:2: is not well-formed XML: mismatched tag; correct the file");
  CHECK(files.refusal("a.tmx", "<tmx>&b;</tmx>").starts_with("a.tmx:1: is not well-formed XML"));
  CHECK(
      files.refusal("a.tmx", "").starts_with("a.tmx:1: is not well-formed XML: no element found"));
  CHECK(files.refusal("a.txt", "").starts_with("a.txt: its name must end with .po, .mo, .tmx"));
}

TEST_CASE("a corpus reads a file of translators as lines, and names the places in the file") {
  const PairFiles files;
  const CorpusSource source{FileOfPairs{files.write("a.po", catalogue), {"en", "de"}}};
  const Corpus corpus(source);
  REQUIRE(corpus.size() == 2);
  CHECK(corpus.columns() == 2);
  const RowBlock block = corpus.read(0, 10, 1000);
  REQUIRE(block.rows() == 2);
  CHECK(block.row(0)[0].text == "one cow");
  CHECK(block.row(0)[1].text == "eine Kuh");
  CHECK(corpus.where(1, 0) == files.folder.path("a.po") + ":4");
  const CorpusSource other{FileOfPairs{files.folder.path("a.po"), {"de", "en"}}};
  CHECK(content_hash(source) != content_hash(other));
  CHECK(message_of([&] {
          Corpus({FileOfPairs{files.write("b.po", "msgid \"a\"\nmsgstr \"\"\n"), {"en", "de"}}});
        }).ends_with("b.po: has no translated pair"));
}

TEST_CASE("pairs are written as lines, as a table and as a translation memory that reads back") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const PairLanguages& languages = {}) {
    PairWriter writer({folder.path(name), {".en", ".de"}, languages});
    writer.add("a < b & \"c\"", "x\ty");
    writer.add("bell \x07 \xEF\xBF\xBF.", "]]>");
    CHECK_FALSE(std::filesystem::exists(folder.path(name)));
    writer.finish();
  };
  write("p");
  CHECK(folder.read("p.en") == "a < b & \"c\"\nbell \x07 \xEF\xBF\xBF.\n");
  CHECK(folder.read("p.de") == "x\ty\n]]>\n");
  write("p.tsv");
  CHECK(folder.read("p.tsv") == "a < b & \"c\"\tx y\nbell \x07 \xEF\xBF\xBF.\t]]>\n");
  write("p.tmx", {"en", "de"});
  Pairs read;
  read_pairs(folder.path("p.tmx"), {"en", "de"},
             [&](const std::string& source, const std::string& target, int64_t line) {
               read.push_back(fmt::format("{}: {} | {}", line, source, target));
             });
  CHECK(read == Pairs{"5: a < b & \"c\" | x\ty", "6: bell    . | ]]>"});
  CHECK(message_of<Error>([&] { write("q.tmx"); }) ==
        folder.path("q.tmx") + ": a translation memory needs the languages of its texts");
}

}  // namespace
}  // namespace calque
