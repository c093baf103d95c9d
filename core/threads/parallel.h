#pragma once
// Threads change speed, never results. A loop is cut into chunks whose size depends on the problem
// alone; any number of threads runs them; partial results are combined in the order of the chunks.
// This is the only file with an OpenMP pragma.
//
// Compute threads flush denormals to zero: arithmetic on denormal weights and moments is slow and
// changes nothing.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "core/threads/group.h"

namespace calque {

// The number of threads that ops use: by default OMP_NUM_THREADS, or the number of processors.
// Inside a parallel loop it is 1: loops do not nest. Inside a task of for_groups() it is the size
// of the group.
int threads();
void set_threads(int count);

// Makes the calling thread flush denormals. Every loop of this file calls it.
void flush_denormals();

// The number of the calling thread in its team, and the size of the team.
int member();
int team_size();

// During its lifetime, libraries that use OpenMP themselves run on the calling thread alone.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// Distributes the chunks of a loop. Each thread has a share of adjacent chunks, the same in every
// loop with as many chunks, so that it finds the data of the previous loop in its cache. A thread
// that has finished its own share takes chunks from the shares of others. With a single share, all
// threads take its chunks in order. If several shares are requested, threads beyond their number
// take nothing: the data is in the caches of other threads. There are at most 64 shares.
class Shares {
 public:
  Shares(int64_t chunks, int count);

  // The next chunk for the calling thread, or -1 if none is left.
  int64_t take();

 private:
  static constexpr int most = 64;
  struct alignas(64) Share {
    std::atomic<int64_t> next = 0;
    int64_t end = 0;
  };
  int wanted_, count_;
  std::array<Share, most> shares_;
};

// Where a thread begins: with its own share, or with the first chunk that no thread has taken.
enum class Begin { own, first };

// Keeps the exception of the lowest-numbered chunk that threw, and rethrows it after the loop.
class Failure {
 public:
  explicit operator bool() const { return there_; }
  void keep(int64_t chunk);  // call it in a catch block
  void rethrow() const;      // if an exception was kept

 private:
  std::atomic<bool> there_ = false;
  std::mutex mutex_;
  int64_t chunk_ = 0;
  std::exception_ptr thrown_;
};

// Calls body() on each thread of the team: of all threads, or of the group of the task.
template <class Body>
void on_team([[maybe_unused]] int team, const Body& body) {
  if (ThreadGroup* const group = ThreadGroup::of_task()) return group->run(body);
#pragma omp parallel num_threads(team)
  {
    flush_denormals();
    body();
  }
}

// Calls body(c) for each chunk c. If the body throws, the exception of the lowest-numbered chunk
// that threw is rethrown here, and chunks that had not begun are skipped. A single chunk runs on
// the calling thread. Otherwise the team has all threads, also for fewer chunks: OpenMP ends the
// threads that a smaller team does not need, and the next larger team has to start new ones.
template <class Body>
void for_chunks(int64_t chunks, Begin begin, Body&& body) {
  flush_denormals();
  const int team = threads();
  if (team <= 1 || chunks <= 1) {
    for (int64_t c = 0; c < chunks; ++c) body(c);
    return;
  }
  const int busy = static_cast<int>(std::min<int64_t>(team, chunks));
  Shares left(chunks, begin == Begin::own ? busy : 1);
  Failure failure;
  on_team(team, [&] {
    for (int64_t c = left.take(); c >= 0 && !failure; c = left.take()) {
      try {
        body(c);
      } catch (...) {
        failure.keep(c);
      }
    }
  });
  failure.rethrow();
}

// Calls body(begin, end) for consecutive chunks of [0, count), each of `chunk` elements except the
// last. Chunks must write to different memory. Exceptions are treated as in for_chunks().
template <class Body>
void parallel_for(int64_t count, int64_t chunk, Body&& body) {
  chunk = std::max<int64_t>(chunk, 1);
  for_chunks((count + chunk - 1) / chunk, Begin::own,
             [&](int64_t c) { body(c * chunk, std::min(count, (c + 1) * chunk)); });
}

// The number of rows of a chunk if a row costs about `row_cost` operations. It is the same for any
// number of threads, and large enough to justify waking a thread.
inline int64_t rows_per_chunk(int64_t row_cost) {
  constexpr int64_t worthwhile = 32768;
  return std::max<int64_t>(1, worthwhile / std::max<int64_t>(1, row_cost));
}

// A chunk size for `count` elements, a multiple of `least`. Chunks are long, because each begins
// with cache misses, but there are enough of them to balance the load of many threads.
inline int64_t long_chunk(int64_t count, int64_t least) {
  constexpr int64_t shares = 128;
  return least * std::max<int64_t>(1, count / (shares * least));
}

// Calls body(begin, end) for chunks of [0, rows), where a row costs about `row_cost` operations.
template <class Body>
void for_rows(int64_t rows, int64_t row_cost, Body&& body) {
  parallel_for(rows, long_chunk(rows, rows_per_chunk(row_cost)), std::forward<Body>(body));
}

// Calls task(i) for each i < count, each on one thread; the calls begin in order. For tasks of very
// different lengths, such as whole batches. A single task may use all threads in its own loops.
// Exceptions are treated as in for_chunks().
template <class Task>
void for_tasks(int64_t count, Task&& task) {
  for_chunks(count, Begin::first, std::forward<Task>(task));
}

// Like for_tasks(), for tasks of similar length with loops of their own: if there are fewer tasks
// than threads, each task runs on a group of threads.
template <class Task>
void for_groups(int64_t count, const Task& task) {
  const int team = threads();
  if (count <= 1 || team <= count || ThreadGroup::of_task()) return for_tasks(count, task);
  std::vector<ThreadGroup> groups(static_cast<size_t>(count));
  const auto first_of = [&](int64_t group) { return static_cast<int>(group * team / count); };
  for (int64_t i = 0; i < count; ++i) {
    groups[static_cast<size_t>(i)].set_size(first_of(i + 1) - first_of(i));
  }
  Failure failure;
  on_team(team, [&] {
    const int thread = member();
    int64_t own = 0;
    try {
      if (team_size() != team) {  // the system has not started all threads
        for (; thread == 0 && own < count; ++own) task(own);
        return;
      }
      while (first_of(own + 1) <= thread) ++own;
      ThreadGroup& group = groups[static_cast<size_t>(own)];
      if (thread > first_of(own)) return group.help(thread - first_of(own));
      group.lead([&] { task(own); });
    } catch (...) {
      failure.keep(own);
    }
  });
  failure.rethrow();
}

// Combines part(begin, end) over the chunks of [0, count), in their order:
//   combine(...combine(combine(start, part_0), part_1)..., part_n).
template <class Value, class Part, class Combine>
Value parallel_reduce(int64_t count, int64_t chunk, Value start, Part&& part, Combine&& combine) {
  chunk = std::max<int64_t>(chunk, 1);
  std::vector<Value> parts(static_cast<size_t>((count + chunk - 1) / chunk));
  parallel_for(count, chunk, [&](int64_t begin, int64_t end) {
    parts[static_cast<size_t>(begin / chunk)] = part(begin, end);
  });
  for (const Value& value : parts) start = combine(start, value);
  return start;
}

}  // namespace calque
