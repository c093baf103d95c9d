// calque demo: the toy translator in one command.
#include <doctest/doctest.h>

#include "cli/program.h"

namespace calque {
namespace {

TEST_CASE("demo trains the toy translator, evaluates both tests and names the page of curves") {
  const CommandResult ran =
      run("cd $(mktemp -d) && calque demo 'a run' --threads 1 "
          "--set training.until=2u --set model.preset=tiny --set tokenizer.vocabulary_size=300 "
          "--set 'data.train=[{toy: toy-en-de, pairs: 300}]' --set data.validation.pairs=3 "
          "--set 'data.test=[{toy: toy-en-de, pairs: 3, name: test}, "
          "{toy: toy-en-de, split: compositional, pairs: 3, name: compositional}]' && "
          "test -s 'a run/report.html'");
  CHECK_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find("$ calque train toy --run 'a run' --set 'training.until=exact>=97%'") !=
        std::string::npos);
  CHECK(ran.out.find("\ntest: 3 pairs\n") != std::string::npos);
  CHECK(ran.out.find("\ncompositional: 3 pairs\n") != std::string::npos);
  CHECK(ran.out.ends_with("== curves: a run/report.html\n"));
}

TEST_CASE("demo stops at the first error, which is one line") {
  const CommandResult ran = run("calque demo /dev/null/run --set training.until=0 --threads 1");
  check_refused(ran, 1, "training.until");
  CHECK(ran.out.find("unseen") == std::string::npos);
  check_refused(run("calque demo --set=x"), 1, "must be key=value");
  check_refused(run("calque demo one two"), 2, "two");
}

}  // namespace
}  // namespace calque
