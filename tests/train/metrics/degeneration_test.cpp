#include "train/metrics/translation/degeneration.h"

#include <doctest/doctest.h>

using namespace calque;

TEST_CASE("a text repeats if a phrase of up to four words occurs three times in a row") {
  CHECK(repeats("a a a"));
  CHECK(repeats("b a a a c"));
  CHECK(repeats("the man and the man and the man and"));
  CHECK(repeats("a b c d a b c d a b c d"));
  CHECK_FALSE(repeats("a b c d e a b c d e a b c d e"));
  CHECK_FALSE(repeats("a a b a a"));
  CHECK_FALSE(repeats("the man and the man"));
  CHECK_FALSE(repeats(""));
}

TEST_CASE("a text copies another if three quarters of the words of each are in the other") {
  CHECK(copies("a b c d", "a b c d"));
  CHECK(copies("d c b a", "a b c x"));
  CHECK_FALSE(copies("a b c", "a b x"));
  CHECK_FALSE(copies("a b c", "a b c d e"));
  CHECK_FALSE(copies("a a a a", "a b c d"));
  CHECK_FALSE(copies("a b", "a b"));  // names and numbers
  CHECK_FALSE(copies("", ""));
}

TEST_CASE("only faults that the reference lacks count") {
  const Degeneration found =
      degeneration({"x x x", "y y y", "a b c", "a b c"}, {"s", "s", "a b c", "a b c"},
                   {"x", "z z z z", "d e f", "a b c"});
  CHECK(found.repeated == 0.25);
  CHECK(found.copied == 0.25);
  CHECK(degeneration({}, {}, {}).copied == 0);
}
