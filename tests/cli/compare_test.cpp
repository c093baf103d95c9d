// calque compare as a program: files and runs, and what it refuses.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

// Writes the files of a test set beside the trained run.
std::string folder() {
  const auto write = [](const char* name, const char* text) {
    std::ofstream(trained().place / name) << text;
  };
  write("src", "a b\nc\nd e f g h\n");
  write("ref", "a b\nc\nd e f g h\n");
  write("old", "a b\nx\nd e f g\n");
  write("new", "a b\nc\nd e f g h\n");
  write("one-line", "a b\n");
  write("empty", "");
  return "cd " + trained().file("") + " && calque compare ";
}

TEST_CASE("compare prints the numbers of the metrics' own commands") {
  const CommandResult ran = run(folder() + "old new --reference ref --source src --width 3");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  for (const std::string metric : {"bleu", "chrf", "ter"}) {
    const CommandResult alone = run("cd " + trained().file("") + " && calque " + metric +
                                    " --reference ref --paired old --width 3 new");
    const size_t head = alone.out.find('\n'), p = alone.out.find("(p = ") + 1;
    CHECK(ran.out.find(alone.out.substr(0, head)) != std::string::npos);
    CHECK(ran.out.find("; " + alone.out.substr(p, 10)) != std::string::npos);
  }
  CHECK(ran.out.find("better: sentence 2, chrF2 100.0, was 0.0\n  source     c\n") !=
        std::string::npos);
  CHECK(ran.out.find("worse: ") == std::string::npos);
  const std::string json = run(folder() + "old new old -r ref -r new --json").out;
  CHECK(json.find("\"references\": 2") != std::string::npos);
  CHECK(run(folder() + "old - -r ref --width 3 < " + trained().file("new")).status == 0);
}

TEST_CASE("compare translates the split or the source by runs") {
  const std::string& place = trained().run;
  const CommandResult split = run("calque compare " + place + " " + place +
                                  "/last --split validation --beam 1 --examples 1");
  REQUIRE_MESSAGE(split.status == 0, split.err);
  CHECK(split.out.find("difference +0.0 (0.0 ± 0.0); p = 1.0000\n") != std::string::npos);
  // A run translates --source as calque translate does.
  const std::string compare = folder();
  REQUIRE(run("calque translate " + place + " --input " + trained().file("src") + " --output " +
              trained().file("by-run"))
              .status == 0);
  const CommandResult same = run(compare + place + " by-run --reference ref --source src");
  REQUIRE_MESSAGE(same.status == 0, same.err);
  CHECK(same.out.find("of 0 sentences is better than that of") != std::string::npos);
  CHECK(same.out.find(" of 3 equal\n") != std::string::npos);
}

TEST_CASE("compare refuses what cannot be compared, in one line") {
  const std::string in = folder(), run_path = trained().run;
  check_refused(run(in + "old -r ref"), 2, "give two systems or more");
  check_refused(run(in + "old new"), 2, "files need --reference");
  check_refused(run(in + "old new --source src"), 2, "--source requires --reference");
  check_refused(run(in + "old new -r ref --beam 2"), 2, "--beam and --set need a run");
  check_refused(run(in + run_path + " new -r ref"), 2, "give --source with --reference");
  check_refused(run(in + "- - -r ref"), 2, "only one of the files can be standard input");
  check_refused(run(in + "old one-line -r ref"), 1,
                "one-line has 1 lines, but ref has 3; they must correspond line by line");
  check_refused(run(in + "old new -r ref -r one-line"), 1, "one-line has 1 lines, but ref has 3");
  check_refused(run(in + "old new -r ref --source one-line"), 1,
                "one-line has 1 lines, but ref has 3");
  check_refused(run(in + "empty empty -r empty"), 1, "empty: the file is empty");
  check_refused(run(in + "old missing -r ref"), 1, "missing");
  check_refused(run(in + "old " + run_path + " --split validation"), 1,
                "old has 3 lines, but --split validation has ");
  check_refused(run(in + run_path + " " + run_path + " --split no"), 1, "--split no: ");
  check_refused(run(in + run_path + " . --split validation"), 1, "");
}

}  // namespace
}  // namespace calque
