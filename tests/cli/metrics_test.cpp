// calque bleu, chrf and ter as programs: they read files, and print scores or an error.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/program.h"

using namespace calque;
namespace fs = std::filesystem;

namespace {

// A folder with the files of a small test set.
class TestSet {
 public:
  TestSet() {
    std::string pattern = (fs::temp_directory_path() / "calque-metrics-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    write("hyp", "The dog bit the man.\nIt wasn't surprising.\nThe man had just bitten him.\n");
    write("ref1", "The dog bit the man.\nIt was not unexpected.\nThe man bit him first.\n");
    write("ref2", "The dog had bit the man.\nNo one was surprised.\nThe man had bitten the dog.\n");
    write("other", "A dog bites.\nIt was not.\nThe man bit him.\n");
  }
  ~TestSet() { fs::remove_all(folder_); }
  TestSet(const TestSet&) = delete;
  TestSet& operator=(const TestSet&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // Runs the command in the folder.
  CommandResult run(const std::string& command) const {
    return calque::run(fmt::format("cd '{}' && {}", folder_.string(), command));
  }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("calque bleu prints the score with its signature, or with --score-only the score") {
  const TestSet test;
  const CommandResult ran = test.run("calque bleu --reference ref1 --reference ref2 hyp");
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out ==
        "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.x/calque-0.1.0 = 48.5 "
        "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)\n");
  CHECK(test.run("calque bleu -r ref1 -r ref2 --score-only --width 2 hyp").out == "48.53\n");
  CHECK(test.run("calque bleu -r ref1 -r ref2 --score-only --width 2 --tokenize intl hyp").out ==
        "43.92\n");
}

TEST_CASE("calque chrf reads standard input, and calque ter reads gzip files") {
  const TestSet test;
  CHECK(test.run("calque chrf -r hyp --word-order 2 - < hyp").out ==
        "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.x/calque-0.1.0 = 100.0\n");
  CHECK(test.run("gzip -c ref1 > ref1.gz && calque ter -r ref1.gz ref1").out ==
        "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.x/calque-0.1.0 = "
        "0.0\n");
}

TEST_CASE("--sentence prints a line for each segment, whatever characters the segments contain") {
  const TestSet test;
  test.write("odd", "one\u2028two\r\n\n\fthree\u0085four\n");
  const CommandResult ran =
      test.run("calque bleu -r odd --sentence --score-only --tokenize none odd");
  CHECK(ran.out == "100.0\n0.0\n100.0\n");
  CHECK(count_lines(test.run("calque ter -r ref1 --sentence hyp").out) == 3);
  CHECK(test.run("calque bleu -r ref1 --sentence hyp").out.find("eff:yes") != std::string::npos);
}

TEST_CASE("--confidence and --paired print the seed, and a second run prints the same results") {
  const TestSet test;
  const CommandResult ran = test.run("calque bleu -r ref1 --confidence --samples 50 hyp");
  CHECK(ran.out.starts_with("BLEU|nrefs:1|bs:50|seed:12345|case:mixed"));
  CHECK(ran.out.find("(μ = ") != std::string::npos);
  CHECK(test.run("calque bleu -r ref1 --confidence --samples 50 hyp").out == ran.out);
  const std::string comparison =
      "calque ter -r ref1 --paired other --paired-test randomization --samples 99 hyp";
  const CommandResult paired = test.run(comparison);
  CHECK(paired.status == 0);
  CHECK(paired.out.starts_with("TER|nrefs:1|ar:99|seed:12345|case:lc"));
  CHECK(paired.out.find("\nother: TER = ") != std::string::npos);
  CHECK(paired.out.find("\nhyp: TER = ") != std::string::npos);
  CHECK(count_lines(paired.out) == 3);
  CHECK(test.run(comparison).out == paired.out);
}

TEST_CASE("files of different lengths, invalid text and missing files are refused") {
  const TestSet test;
  test.write("short", "only one line\n");
  test.write("broken",
             "fine\nnot \xFF"
             "fine\n");
  const CommandResult counts = test.run("calque bleu -r short hyp");
  CHECK(counts.status == 1);
  CHECK(counts.err ==
        "calque: short has 1 lines, but hyp has 3; they must correspond line by line\n");
  CHECK(test.run("calque bleu -r hyp broken").err ==
        "calque: broken:2: not valid UTF-8 (byte 5)\n");
  CHECK(test.run("calque bleu -r - -").err ==
        "calque bleu: only one of the files can be standard input; see 'calque bleu --help'\n");
  CHECK(test.run("calque bleu -r missing hyp").status == 1);
}

TEST_CASE("standard input is read like a file: byte order marks, NULs and too long lines") {
  const TestSet test;
  test.write("marked", "\xEF\xBB\xBFThe dog bit the man.\r\nIt was.\n");
  test.write("nul", std::string("a\nb\0c\n", 6));
  CHECK(test.run("calque bleu -r marked --score-only --width 3 - < marked").out == "100.000\n");
  CHECK(test.run("calque bleu -r nul - < nul").err == "calque: standard input:2: a NUL (byte 2)\n");
  CHECK(test.run("calque bleu -r ref1 nul").err == "calque: nul:2: a NUL (byte 2)\n");
  // The longest line allowed has 2^20 bytes.
  const std::string make = "head -c 1048577 /dev/zero | tr '\\0' a > long; ";
  const std::string message = ":1: more than 1048576 bytes are no sentence\n";
  CHECK(test.run(make + "calque ter -r ref1 - < long").err == "calque: standard input" + message);
}

TEST_CASE("an invalid command line exits with status 2") {
  const TestSet test;
  CHECK(test.run("calque bleu hyp").status == 2);
  CHECK(test.run("calque bleu -r ref1 --tokenize zh hyp").status == 2);
  CHECK(test.run("calque bleu -r ref1 --smooth-value 2 hyp").status == 2);
  for (const std::string metric : {"bleu", "chrf", "ter"}) {
    CHECK(
        test.run("calque " + metric + " -r ref1 --samples 9 hyp").err.find("needs --confidence") !=
        std::string::npos);
    CHECK(test.run("calque " + metric + " -r ref1 --seed 9 --sentence hyp").status == 2);
  }
  CHECK(test.run("calque bleu -r ref1 --sentence --confidence hyp").status == 2);
  CHECK(test.run("calque chrf -r ref1 --beta 0 hyp").status == 2);
  CHECK(test.run("calque ter -r ref1 --paired other --paired-test luck hyp").status == 2);
}

TEST_CASE("text that is already tokenized is scored with a warning") {
  const TestSet test;
  const CommandResult ran = test.run(
      "for i in $(seq 100); do echo 'so it ends .'; done > tok; "
      "calque bleu -r tok tok");
  CHECK(ran.status == 0);
  CHECK(ran.err.find("looks tokenized") != std::string::npos);
  CHECK(test.run("calque bleu --tokenize none -r tok tok").err.empty());
}
