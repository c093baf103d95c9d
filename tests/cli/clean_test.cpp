// calque data clean, and the command that data check names.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "data/corpora/small_corpus.h"
#include "data/temporary_folder.h"

namespace calque {
namespace {

// 200 good pairs, one with HTML and one that is not UTF-8, in corpus.en and corpus.de.
struct DirtyCorpus {
  TemporaryFolder folder;
  std::string files;

  DirtyCorpus() {
    std::ofstream source(folder.path("corpus.en")), target(folder.path("corpus.de"));
    for (const Row& pair : small_pairs(200, 1, 40)) {
      source << "The " << pair[0] << '\n';
      target << "Die " << pair[1] << '\n';
    }
    source << "The <b>dog</b>\nThe\xFF dog\n";
    target << "Der Hund\nDer Hund\n";
    files = " --source " + folder.path("corpus.en") + " --target " + folder.path("corpus.de");
  }
};

TEST_CASE("data clean writes two files without bad pairs, and shows what it dropped") {
  const DirtyCorpus corpus;
  const std::string to = corpus.folder.path("clean");
  const CommandResult ran = run("calque data clean" + corpus.files + " --to " + to +
                                " --without repeated,nearly-repeated,ratio");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.starts_with("202 pairs, 200 kept\ndropped by invalid: 1 lines that are not"));
  CHECK(ran.out.find("dropped by markup: 1 lines with HTML tags or references (first: " +
                     corpus.folder.path("corpus.en") + ":201)\n") != std::string::npos);
  CHECK(ran.out.ends_with(":201: The <b>dog</b> | Der Hund\n"));
  CHECK(ran.err == "wrote " + to + ".en and " + to + ".de\n");
  CHECK(count_lines(corpus.folder.read("clean.en")) == 200);
  CHECK(count_lines(corpus.folder.read("clean.de")) == 200);
  CHECK(corpus.folder.read("clean.en").find('<') == std::string::npos);
}

TEST_CASE("data clean overwrites only with --force, and writes nothing after an error") {
  const DirtyCorpus corpus;
  const std::string clean =
      "calque data clean" + corpus.files + " --to " + corpus.folder.path("clean");
  const std::string before = corpus.folder.write("clean.de", "before\n");
  check_refused(run(clean), 1, "clean.de: already exists; choose another --to, or overwrite it");
  CHECK(corpus.folder.read("clean.de") == "before\n");
  CHECK(run(clean + " --force --examples 0").status == 0);
  CHECK(count_lines(corpus.folder.read("clean.de")) > 100);
  corpus.folder.write("corpus.de", "eine Zeile\n");
  check_refused(run("calque data clean" + corpus.files + " --to " + corpus.folder.path("other")), 1,
                "align the files");
  CHECK_FALSE(std::filesystem::exists(corpus.folder.path("other.de")));
  check_refused(run(clean + " --without nul"), 2, "--without: nul not in {empty,");
}

TEST_CASE("data check names the command that drops what it found") {
  const DirtyCorpus corpus;
  const std::string config = corpus.folder.write(
      "c.yaml", "data: {languages: [en, de], invalid_utf8: skip, train: {prefix: " +
                    corpus.folder.path("corpus") + "}}\ntokenizer: {kind: words}\n");
  const CommandResult ran = run("calque data check " + config);
  CHECK(ran.out.find("1 lines with HTML") != std::string::npos);
  CHECK(ran.out.ends_with("'calque data clean" + corpus.files + " --to " +
                          corpus.folder.path("corpus.clean") + "' drops them\n"));
}

TEST_CASE("data sentences writes one sentence per line, and empty lines stay") {
  const std::string text = "printf 'Dr. No came. He left.\\r\\n\\nAm 3. Mai' | ";
  CHECK(run(text + "calque data sentences --language de").out ==
        "Dr. No came.\nHe left.\n\nAm 3. Mai\n");
  CHECK(run("printf '\\377' | calque data sentences")
            .err.starts_with("calque: standard input:1: not valid UTF-8"));
}

TEST_CASE("data clean reads and writes tables and translation memories") {
  const DirtyCorpus corpus;
  const auto clean = [&](const std::string& from, const std::string& to) {
    return run("calque data clean " + from + " --without repeated,nearly-repeated,ratio --to " +
               corpus.folder.path(to));
  };
  REQUIRE(clean(corpus.files, "clean").status == 0);
  CHECK(clean(corpus.files, "clean.tsv").err == "wrote " + corpus.folder.path("clean.tsv") + "\n");
  CHECK(count_lines(corpus.folder.read("clean.tsv")) == 200);
  REQUIRE(clean(corpus.files + " --languages en,de", "clean.tmx").status == 0);
  const std::string memory = corpus.folder.path("clean.tmx");
  REQUIRE(clean("--file " + memory + " --languages en,de", "again").status == 0);
  CHECK(corpus.folder.read("again.en") == corpus.folder.read("clean.en"));
  CHECK(corpus.folder.read("again.de") == corpus.folder.read("clean.de"));
  REQUIRE(clean("--file " + corpus.folder.path("clean.tsv"), "third").status == 0);
  CHECK(corpus.folder.read("third.target") == corpus.folder.read("clean.de"));

  check_refused(clean("--file " + memory, "x"), 2, "--file needs --languages");
  check_refused(clean(corpus.files, "x.tmx"), 1, "x.tmx: a translation memory needs the languages");
  check_refused(run("calque data clean --to x"), 2, "give --source and --target, or --file");
  check_refused(clean("--file " + corpus.folder.path("none.tmx") + " --languages en,de", "x"), 1,
                "none.tmx");
}

}  // namespace
}  // namespace calque
