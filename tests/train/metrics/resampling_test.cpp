// Resampling: the generator against values recorded from NumPy, and properties of the significance
// tests.
#include "train/metrics/resampling/resampling.h"

#include <doctest/doctest.h>

#include <locale>
#include <string>
#include <vector>

#include "core/error.h"
#include "train/metrics/resampling/numpy_random.h"
#include "train/metrics/translation/bleu.h"

using namespace calque;

namespace {

// The score of these statistics is the mean of the numbers of all segments.
SegmentStatistics statistics_of(const std::vector<double>& numbers) {
  SegmentStatistics statistics{2, {}};
  for (const double number : numbers) {
    statistics.values.push_back(number);
    statistics.values.push_back(1);
  }
  return statistics;
}

double mean_of(std::span<const double> sums) { return sums[0] / sums[1]; }

std::vector<double> numbers(size_t count, double offset) {
  std::vector<double> made;
  for (size_t i = 0; i < count; ++i) made.push_back(offset + static_cast<double>(i * i % 17));
  return made;
}

std::vector<uint32_t> draw(NumpyRandom& random, uint32_t limit, int count) {
  std::vector<uint32_t> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(random.below(limit));
  return drawn;
}

}  // namespace

TEST_CASE("integers are those of numpy.random.default_rng") {
  using Drawn = std::vector<uint32_t>;
  NumpyRandom random(12345);
  CHECK(draw(random, 10, 12) == Drawn{6, 2, 7, 3, 2, 7, 6, 6, 9, 3, 8, 3});
  CHECK(draw(random, 1000003, 3) == Drawn{567505, 598310, 213143});
  CHECK(draw(random, 1, 2) == Drawn{0, 0});
  CHECK(draw(random, 3000000000, 4) == Drawn{560202556, 687406213, 2018268131, 1840423821});
  NumpyRandom zero(0);
  CHECK(draw(zero, 7, 9) == Drawn{5, 4, 3, 1, 2, 0, 0, 0, 1});
}

TEST_CASE("coins are those of numpy.random.default_rng, with a seed of more than 32 bits") {
  NumpyRandom random((uint64_t{1} << 40) + 7);
  std::string coins;
  for (int i = 0; i < 40; ++i) coins += random.coin() ? '1' : '0';
  CHECK(coins == "0101010110000100011110110010110000000100");
}

TEST_CASE("the interval is around the score, and narrower for more segments") {
  const Confidence few = bootstrap(statistics_of(numbers(30, 10)), mean_of, {});
  const Confidence many = bootstrap(statistics_of(numbers(3000, 10)), mean_of, {});
  const double score = mean_of(statistics_of(numbers(30, 10)).sums());
  CHECK(std::abs(few.mean - score) < few.half_width);
  CHECK(many.half_width < few.half_width / 5);
  CHECK(bootstrap(statistics_of({3, 3, 3}), mean_of, {}).half_width == 0);
}

TEST_CASE("the same seed gives the same interval, another seed another") {
  const SegmentStatistics statistics = statistics_of(numbers(50, 0));
  const Confidence first = bootstrap(statistics, mean_of, {.samples = 100});
  const Confidence again = bootstrap(statistics, mean_of, {.samples = 100});
  const Confidence other = bootstrap(statistics, mean_of, {.samples = 100, .seed = 1});
  CHECK(first.mean == again.mean);
  CHECK(first.mean != other.mean);
}

TEST_CASE("a large difference has the smallest possible p-value, and so has no difference at all") {
  const SegmentStatistics low = statistics_of(numbers(100, 0)),
                          high = statistics_of(numbers(100, 9));
  const SegmentStatistics same = statistics_of(numbers(100, 0));
  for (const PairedTest test : {PairedTest::bootstrap, PairedTest::randomization}) {
    const Comparison different = compare(low, high, mean_of, test, {.samples = 200});
    CHECK(different.system - different.baseline == doctest::Approx(9));
    CHECK(different.p_value == doctest::Approx(1.0 / 201));
    // No sample differs by more than 0, so p = (0 + 1) / (99 + 1), as in sacreBLEU.
    CHECK(compare(low, same, mean_of, test, {.samples = 99}).p_value == doctest::Approx(0.01));
  }
}

TEST_CASE("equally good systems rarely get p-values below 0.05") {
  int significant = 0;
  constexpr int rounds = 200;
  NumpyRandom random(99);
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> first(60), second(60);
    for (double& number : first) number = random.below(100);
    for (double& number : second) number = random.below(100);
    const double p = compare(statistics_of(first), statistics_of(second), mean_of,
                             PairedTest::randomization, {.samples = 100})
                         .p_value;
    if (p < 0.05) ++significant;
  }
  CHECK(significant < rounds / 10);  // 10 are expected; three standard deviations more are 19
}

TEST_CASE("a comparison with a p-value below 0.05 is printed with a star") {
  Comparison comparison{.baseline = 20, .system = 21.55, .p_value = 0.0312};
  CHECK(comparison_text(comparison, "BLEU", "a.txt", "b.txt", 1) ==
        "a.txt: BLEU = 20.0\nb.txt: BLEU = 21.6 (p = 0.0312)*");
  comparison.p_value = 0.5;
  comparison.system_confidence = Confidence{.mean = 21.5, .half_width = 0.75};
  CHECK(comparison_text(comparison, "BLEU", "a.txt", "b.txt", 2) ==
        "a.txt: BLEU = 20.00\nb.txt: BLEU = 21.55 (21.50 ± 0.75) (p = 0.5000)");
}

TEST_CASE("resampling needs two samples and systems of equal length") {
  const SegmentStatistics three = statistics_of({1, 2, 3});
  CHECK_THROWS_AS(bootstrap(three, mean_of, {.samples = 1}), Error);
  CHECK_THROWS_AS(compare(three, statistics_of({1}), mean_of, PairedTest::bootstrap, {}), Misuse);
}

TEST_CASE("scores are printed with a decimal point under a locale that has a comma") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::vector<std::string> line = {"one two three four five"};
  const std::vector<std::vector<std::string>> reference = {{"one two three four six"}};
  const std::string before = bleu(line, reference).text();
  const std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  CHECK(bleu(line, reference).text() == before);
  std::locale::global(old);
}
