// The commands with runs of task: tagging: tag, evaluate, data check.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.h"
#include "cli/trained.h"
#include "support/small_configs.h"

namespace calque {
namespace {

const Trained& tagger() { return trained_tagger(); }

CommandResult tag(const std::string& text) {
  return run("printf '" + text + "' | calque tag " + tagger().run);
}

TEST_CASE("tag prints a word and its tag on each line, and an empty line after each sentence") {
  const CommandResult ran = tag("the  dog\\tsleeps\\n\\nder Hund");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.err.empty());
  CHECK(count_lines(ran.out) == 8);
  for (const char* start : {"the\t", "dog\t", "sleeps\t", "\n\n", "der\t", "Hund\t"}) {
    CHECK_MESSAGE(ran.out.find(start) != std::string::npos, start);
  }
  CHECK(ran.out.ends_with("\n\n"));
  CHECK(tag("the dog sleeps\\n").out == ran.out.substr(0, ran.out.find("\n\n") + 2));
  CHECK(tag("").out.empty());
}

TEST_CASE("tag reads an invalid line as --invalid-utf8 says") {
  const CommandResult ran = run("printf 'the dog\\n\\377\\nder Hund\\n' | calque tag " +
                                tagger().run + " --invalid-utf8 skip");
  CHECK(ran.status == 0);
  CHECK(ran.out == tag("the dog\\n\\nder Hund\\n").out);
}

TEST_CASE("tag refuses text that is not UTF-8, and runs of other tasks") {
  check_refused(tag("the dog\\na \\377\\n"), 1, "standard input:2: not valid UTF-8 (byte 3)");
  check_refused(run("calque tag " + trained_classifier().run), 1,
                "calque tag needs a run of task: tagging; ");
  check_refused(run("calque tag /nosuch"), 1, "/nosuch: there is no such run");
}

TEST_CASE("evaluate measures a tagger on a file, and writes its tags in the same format") {
  std::ofstream(tagger().place / "more.conll") << "the B-en\ndog I-en\n\nder B-de\n";
  const CommandResult ran = run("calque evaluate " + tagger().run + " --samples 1 --tagged " +
                                tagger().file("more.conll") + " --output " + tagger().file("out"));
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find("more.conll: 2 sentences, 3 words\n  loss ") != std::string::npos);
  CHECK(ran.out.find("  the dog\n  = B-en I-en\n  > ") != std::string::npos);
  for (const char* score : {"accuracy ", "macro F1 ", "f1 ", "precision ", "recall ", "as B-de"}) {
    CHECK_MESSAGE(ran.out.find(score) != std::string::npos, score);
  }
  CHECK(count_lines(run("cat " + tagger().file("out")).out) == 5);
  check_refused(
      run("calque evaluate " + tagger().run + " --labelled " + tagger().file("more.conll")), 1,
      "--labelled needs a run of task: classification; ");
}

TEST_CASE("data check counts the words of each tag") {
  std::ofstream(tagger().place / "check.yaml") << small_tagging;
  const CommandResult ran = run("calque data check " + tagger().file("check.yaml"));
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.starts_with("train: 200 sentences, "));
  CHECK(ran.out.find(" 0 sentences skipped\n  B-de: 200\n  B-en: 200\n  I-de: ") !=
        std::string::npos);
  CHECK(ran.out.find("\nvalidation: 10 sentences, ") != std::string::npos);
}

}  // namespace
}  // namespace calque
