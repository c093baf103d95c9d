#include "core/memory.h"

#include <doctest/doctest.h>

#include <new>

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

TEST_CASE("a block that was given back serves the next request of about its size") {
  { Buffer<float> warm(100000); }
  const int64_t requests = memory_statistics().requests;
  { Buffer<float> again(100000); }
  { Buffer<float> a_little_smaller(98000); }
  CHECK(memory_statistics().requests == requests);
}

TEST_CASE("cached blocks go back to the system on request") {
  { Buffer<float> some(1 << 20); }
  release_cached_memory();
  CHECK(memory_statistics().reserved <= memory_statistics().used + 64);
}

#ifndef __SANITIZE_ADDRESS__  // which ends the program instead
TEST_CASE("a request that nobody can fulfil throws and changes nothing") {
  const MemoryStatistics before = memory_statistics();
  CHECK_THROWS_AS(Buffer<float>(int64_t{1} << 55), std::bad_alloc);
  CHECK(memory_statistics().used == before.used);
}
#endif
