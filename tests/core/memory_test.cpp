#include <doctest/doctest.h>

#include <new>
#include <vector>

#include "core/memory/pool.h"
#include "core/ops.h"

using namespace calque;

TEST_CASE("buffers are aligned to 64 bytes and counted while they live") {
  const int64_t before = memory_statistics().used;
  {
    Buffer<float> a(1000), b(3);
    CHECK(reinterpret_cast<uintptr_t>(a.data()) % 64 == 0);
    CHECK(reinterpret_cast<uintptr_t>(b.data()) % 64 == 0);
    CHECK(memory_statistics().used >= before + 4012);
    CHECK(memory_statistics().peak >= memory_statistics().used);
  }
  CHECK(memory_statistics().used == before);
}

TEST_CASE("a returned block is reused for the next request of about its size") {
  { Buffer<float> warm(100000); }
  const int64_t requests = memory_statistics().requests;
  { Buffer<float> again(100000); }
  { Buffer<float> a_little_smaller(98000); }
  CHECK(memory_statistics().requests == requests);
}

TEST_CASE("cached blocks are returned to the system on request") {
  { Buffer<float> some(1 << 20); }
  release_cached_memory();
  CHECK(memory_statistics().reserved <= memory_statistics().used + 64);
}

TEST_CASE("shapes with too many elements are refused") {
  const int64_t many = int64_t{1} << 32;
  CHECK_THROWS_AS(Tensor::zeros({many, many}), Misuse);
  CHECK_THROWS_AS(Shape({0, many, many}), Misuse);  // a product of some axes overflows
  CHECK_THROWS_AS((Shape{many, 1}.with_cols(many)), Misuse);
  CHECK(Shape({many, many / 4}).elements() == int64_t{1} << 62);
  Segments segments = Segments::of_lengths(std::vector<int32_t>{2'000'000'000});
  CHECK_THROWS_AS(segments.append(200'000'000), Misuse);
}

#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer ends the program instead
TEST_CASE("an impossible request throws and changes nothing") {
  const MemoryStatistics before = memory_statistics();
  for (const int bits : {55, 61, 62}) {
    CHECK_THROWS_AS(Buffer<float>(int64_t{1} << bits), std::bad_alloc);
  }
  CHECK_THROWS_AS(Buffer<float>(-1), std::bad_alloc);
  CHECK(memory_statistics().used == before.used);
}
#endif
