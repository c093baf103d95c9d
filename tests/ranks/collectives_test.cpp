// The collective operations, with threads as ranks.
#include "ranks/collectives.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <mutex>

#include "core/error.h"
#include "core/random.h"
#include "support/message_of.h"
#include "support/sanitized.h"
#include "support/thread_ranks.h"

using namespace calque;

namespace {

std::vector<real> numbers_of(int rank, int64_t size) {
  std::vector<real> numbers(static_cast<size_t>(size));
  fill_normal({.seed = 1, .step = static_cast<uint32_t>(rank)}, 0, 1, numbers);
  return numbers;
}

// The nearest number with 8 bits of precision, ties to even.
real in_bfloat16(real number) {
  int exponent = 0;
  const double mantissa = std::frexp(double(number), &exponent);
  return static_cast<real>(std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8));
}

// The sum by a binary tree over `count` ranks from `first` on.
std::vector<real> tree_sum(int first, int count, int64_t size, Precision precision) {
  if (count == 1) return numbers_of(first, size);
  std::vector<real> sum = tree_sum(first, count / 2, size, precision);
  const std::vector<real> upper = tree_sum(first + count / 2, count / 2, size, precision);
  for (size_t i = 0; i < sum.size(); ++i) {
    const bool exact = precision == Precision::full;
    sum[i] = exact ? sum[i] + upper[i] : in_bfloat16(sum[i]) + in_bfloat16(upper[i]);
  }
  return sum;
}

bool same_bits(std::span<const real> a, std::span<const real> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace

TEST_CASE("all_gather gives all ranks the values and texts of all ranks, in their order") {
  for (const int count : {1, 2, 4, 8}) {
    CAPTURE(count);
    std::mutex mutex;
    int right = 0;
    run_thread_ranks(count, [&](Communicator& ranks) {
      const std::array<int32_t, 2> own{10 * ranks.rank(), 10 * ranks.rank() + 1};
      std::vector<int32_t> expected;
      std::vector<std::string> texts;
      for (int r = 0; r < count; ++r) {
        expected.push_back(10 * r);
        expected.push_back(10 * r + 1);
        texts.push_back(std::string(static_cast<size_t>(r % 3), 'x'));
      }
      const bool good = all_gather(ranks, std::span<const int32_t>(own)) == expected &&
                        all_gather_texts(ranks, texts[static_cast<size_t>(ranks.rank())]) == texts;
      const std::scoped_lock lock(mutex);
      right += good ? 1 : 0;
    });
    CHECK(right == count);
  }
}

TEST_CASE("a broadcast gives all ranks the value and the text of rank 0") {
  for (const int count : {1, 2, 4, 8}) {
    CAPTURE(count);
    std::mutex mutex;
    int right = 0;
    run_thread_ranks(count, [&](Communicator& ranks) {
      const int number = broadcast(ranks, 7 + ranks.rank());
      const std::string text = broadcast_text(ranks, std::string(10, char('a' + ranks.rank())));
      const std::scoped_lock lock(mutex);
      right += number == 7 && text == "aaaaaaaaaa" ? 1 : 0;
    });
    CHECK(right == count);
  }
}

TEST_CASE("the shares of the ranks are disjoint and make up the whole") {
  run_thread_ranks(8, [](Communicator& ranks) {
    std::vector<int> owners(64);
    for (int r = 0; r < 8; ++r) {
      const Share share = share_of(ranks, r, 64);
      for (int64_t i = share.begin; i < share.end; ++i) ++owners[static_cast<size_t>(i)];
    }
    require(owners == std::vector<int>(64, 1), "a number has no owner, or several");
  });
}

TEST_CASE("the sum over ranks has the bits of a binary tree over the ranks") {
  constexpr int64_t size = 3 * (1 << 19) + 256;  // more than one message in every round
  for (const Precision precision : {Precision::full, Precision::bfloat16}) {
    if (precision == Precision::bfloat16 && sizeof(real) != sizeof(float)) continue;
    for (const int count : sanitized ? std::vector{1, 4} : std::vector{1, 2, 4, 8}) {
      CAPTURE(count);
      const std::vector<real> expected = tree_sum(0, count, size, precision);
      std::mutex mutex;
      int right = 0;
      run_thread_ranks(count, [&](Communicator& ranks) {
        std::vector<real> numbers = numbers_of(ranks.rank(), size);
        sum_shares(ranks, numbers, precision);
        gather_shares(ranks, numbers, size);
        const std::scoped_lock lock(mutex);
        right += same_bits(numbers, expected) ? 1 : 0;
      });
      CHECK(right == count);
    }
  }
}

TEST_CASE("shares are gathered also into a buffer that ends before the last share") {
  constexpr int64_t padded = 64, size = 41;
  std::mutex mutex;
  int right = 0;
  run_thread_ranks(4, [&](Communicator& ranks) {
    std::vector<real> numbers(size, real(-1));
    const Share share = share_of(ranks, ranks.rank(), padded);
    for (int64_t i = share.begin; i < std::min(share.end, size); ++i) {
      numbers[static_cast<size_t>(i)] = static_cast<real>(i);
    }
    gather_shares(ranks, numbers, padded);
    bool good = true;
    for (size_t i = 0; i < numbers.size(); ++i) good = good && numbers[i] == static_cast<real>(i);
    const std::scoped_lock lock(mutex);
    right += good ? 1 : 0;
  });
  CHECK(right == 4);
}

TEST_CASE("when a rank throws, the others end and its error is rethrown") {
  const std::string message = message_of([] {
    run_thread_ranks(4, [](Communicator& ranks) {
      if (ranks.rank() == 2) fail("rank 2 cannot read the corpus");
      wait_for_all(ranks);
    });
  });
  CHECK(message == "rank 2 cannot read the corpus");
}
