// Loops in chunks visit every element once, threads keep their shares, exceptions are rethrown.
#include "core/threads/parallel.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/threads.h"

using namespace calque;

TEST_CASE("A loop in chunks visits every element once, with any number of threads") {
  for (const int team : {1, 2, 3, 4, 70}) {
    const Threads scope(team);
    for (const int64_t count : {0, 1, 2, 7, 64, 1000}) {
      for (const int64_t chunk : {0, 1, 3, 64, 2000}) {
        CAPTURE(team);
        CAPTURE(count);
        CAPTURE(chunk);
        std::vector<int> visits(static_cast<size_t>(count));
        parallel_for(count, chunk, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
        CHECK(visits == std::vector<int>(static_cast<size_t>(count), 1));
      }
    }
  }
}

TEST_CASE("A single thread takes every chunk, those of its own share first") {
  Shares shares(7, 3);
  for (int64_t chunk = 0; chunk < 7; ++chunk) CHECK(shares.take() == chunk);
  CHECK(shares.take() == -1);
  CHECK(shares.take() == -1);
}

TEST_CASE("Loops of few chunks and of many keep the same threads") {
  static std::atomic<int> threads_started = 0;
  struct ThreadCounter {
    ThreadCounter() { ++threads_started; }
    void use() {}
  };
  const Threads scope(4);
  for (int loop = 0; loop < 60; ++loop) {
    const std::array<int64_t, 3> chunks = {2, 4, 3};
    parallel_for(chunks[static_cast<size_t>(loop) % 3], 1, [](int64_t, int64_t) {
      thread_local ThreadCounter counter;
      counter.use();
      std::this_thread::sleep_for(std::chrono::microseconds(300));  // so that each gets a chunk
    });
  }
  CHECK(threads_started <= 4);
}

TEST_CASE("A thread has the same share in every loop") {
  const Threads scope(2);
  if (std::thread::hardware_concurrency() < 2) return;
  for (int loop = 0; loop < 10; ++loop) {
    std::array<std::thread::id, 2> who;
    std::atomic<int> begun = 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    parallel_for(2, 1, [&](int64_t chunk, int64_t) {
      who[static_cast<size_t>(chunk)] = std::this_thread::get_id();
      ++begun;  // and wait, so that the other chunk is left to the other thread
      while (begun < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    CHECK(who[0] == std::this_thread::get_id());
    CHECK(who[1] != who[0]);
  }
}

TEST_CASE("Tasks are begun in order") {
  constexpr int team = 3;
  const Threads scope(team);
  std::atomic<int64_t> begun = 0;
  std::array<int64_t, 100> before{};
  for_tasks(std::ssize(before), [&](int64_t number) {
    before[static_cast<size_t>(number)] = begun++;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  for (int64_t number = 0; number < std::ssize(before); ++number) {
    CHECK(before[static_cast<size_t>(number)] > number - team);
  }
}

TEST_CASE("The exception of a chunk is rethrown, also from one of many threads") {
  const Threads scope(4);
  const auto loop = [](int64_t begin, int64_t) {
    if (begin >= 0) throw std::bad_alloc();
  };
  CHECK_THROWS_AS(parallel_for(1000, 10, loop), std::bad_alloc);
  CHECK_THROWS_AS(for_rows(1000, 10000, loop), std::bad_alloc);
  Failure failure;
  failure.rethrow();
  for (const int64_t chunk : {7, 3, 5}) {
    try {
      throw std::runtime_error(std::to_string(chunk));
    } catch (...) {
      failure.keep(chunk);
    }
  }
  CHECK(failure);
  CHECK_THROWS_WITH(failure.rethrow(), "3");
}

TEST_CASE("What a task threw is thrown again, and a single thread begins no more tasks") {
  for (const int team : {1, 3}) {
    CAPTURE(team);
    const Threads scope(team);
    std::atomic<int> done = 0;
    const auto run = [&] {
      for_tasks(1000, [&](int64_t number) {
        if (number == 5) throw std::runtime_error("task 5");
        ++done;
      });
    };
    CHECK_THROWS_WITH(run(), "task 5");
    if (team == 1) CHECK(done == 5);
  }
}

TEST_CASE("With fewer tasks than threads, each task's loops run on a group of threads") {
  for (const int team : {4, 5, 8}) {
    const Threads scope(team);
    for (const int64_t tasks : {2, 3}) {
      CAPTURE(team);
      CAPTURE(tasks);
      std::vector<std::vector<int>> visits(static_cast<size_t>(tasks), std::vector<int>(1000));
      std::atomic<int> sizes = 0;
      for_groups(tasks, [&](int64_t task) {
        sizes += threads();
        for (int loop = 0; loop < 50; ++loop) {
          parallel_for(1000, 10, [&](int64_t begin, int64_t end) {
            CHECK(threads() == 1);  // loops do not nest
            for (int64_t i = begin; i < end; ++i) {
              ++visits[static_cast<size_t>(task)][static_cast<size_t>(i)];
            }
          });
        }
      });
      CHECK(sizes == team);
      CHECK(visits == std::vector(static_cast<size_t>(tasks), std::vector<int>(1000, 50)));
    }
    CHECK(threads() == team);
  }
}

TEST_CASE("An exception in a task of a group, or in its loops, is rethrown after all tasks") {
  const Threads scope(6);
  for (const bool in_loop : {false, true}) {
    std::atomic<int> ended = 0;
    CHECK_THROWS_WITH_AS(for_groups(3,
                                    [&](int64_t task) {
                                      if (task == 1 && !in_loop) throw std::runtime_error("task");
                                      parallel_for(100, 1, [&](int64_t begin, int64_t) {
                                        if (task == 1 && begin == 50) {
                                          throw std::runtime_error("task");
                                        }
                                      });
                                      ++ended;
                                    }),
                         "task", std::runtime_error);
    CHECK(ended == 2);
  }
}
