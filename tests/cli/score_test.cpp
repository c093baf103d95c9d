// calque score.
#include <doctest/doctest.h>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

CommandResult score(const std::string& source, const std::string& target) {
  const std::string from = trained().file("source"), to = trained().file("target");
  return run("printf '" + source + "' > " + from + "; printf '" + target + "' > " + to +
             "; calque score " + trained().run + " --source " + from + " --target " + to);
}

TEST_CASE(
    "score prints the log-probability of each pair, in total and per token, and its token count") {
  const CommandResult ran = score("a b c\\nd\\n\\n", "a b c\\n\\nd e\\n");
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  check_scores(ran.out, {4, 1, 3});  // with </s>
}

TEST_CASE("the score of a translation is the log-probability that translate writes") {
  const std::string translated = trained().file("translated");
  const CommandResult ran =
      run("printf 'a b c\\n' | calque translate " + trained().run + " --beam 2 --scores > " +
          translated + "; sed 's/.* //' " + translated);
  const CommandResult scored =
      run("printf 'a b c\\n' > " + trained().file("one") + "; sed 's/ |||.*//' " + translated +
          " > " + trained().file("two") + "; calque score " + trained().run + " --source " +
          trained().file("one") + " --target " + trained().file("two"));
  REQUIRE(scored.status == 0);
  CHECK(std::stod(scored.out) == doctest::Approx(std::stod(ran.out)).epsilon(1e-3));
}

TEST_CASE("score refuses files of different lengths, invalid text, and a path that is not a run") {
  const CommandResult ran = score("a\\nb\\n", "a\\n");
  CHECK(ran.status == 1);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("has 2 lines, but") != std::string::npos);
  CHECK(score("a\\n\\377\\n", "a\\nb\\n").err.find("source:2: not valid UTF-8 (byte 1)") !=
        std::string::npos);
  CHECK(score("a\\0b\\n", "a\\n").err.find("source:1: a NUL (byte 2)") != std::string::npos);
  const CommandResult missing =
      run("calque score " + trained().run + " --source /nosuch --target /nosuch");
  CHECK(missing.status == 1);
  CHECK(missing.err.find("/nosuch") != std::string::npos);
  CHECK(run("calque score " + trained().run).status == 2);
  CHECK(run("calque score /nosuch --source a --target b").err ==
        "calque: /nosuch: there is no such run\n");
}

}  // namespace
}  // namespace calque
