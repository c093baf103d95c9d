#pragma once
// Threads change speed, never results. A loop is cut into pieces whose size depends on the problem
// alone; the pieces run on however many threads there are; partial results are combined in the
// order of the pieces. This is the only file with an OpenMP pragma.
//
// A thread that computes with calque does so with denormals flushed to zero: once a weight or a
// moment becomes that small, arithmetic on it is slow and changes nothing.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace calque {

// The number of threads that ops use. At first: OMP_NUM_THREADS, or the number of
// processors. Inside a piece of a parallel loop it is 1: pieces are not cut further.
int threads();
void set_threads(int count);

// Flushes denormals on the calling thread from now on; called by everything in this file.
void flush_denormals();

// While it lives, a library that uses OpenMP on its own runs on the calling thread alone.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// The pieces of one loop, in shares of neighbouring pieces. Each thread has a share of its own, the
// same in every loop of as many pieces, so that it finds in its cache what it left there in the
// loop before; whoever is done with its own takes from the others'. From a single share all take in
// order. Threads beyond the shares, if there are several, take nothing: it lies in others' caches.
class Shares {
 public:
  Shares(int64_t pieces, int count);

  // The next piece for the calling thread, or -1 if none is left.
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

// Which pieces a thread begins with: those of its own share, or the first that nobody has begun.
enum class Begin { own, first };

// What pieces have thrown: kept of the one with the lowest number, and thrown again at the end.
class Failure {
 public:
  explicit operator bool() const { return there_; }
  void keep(int64_t piece);  // where an exception is being caught
  void rethrow() const;      // if there is one

 private:
  std::atomic<bool> there_ = false;
  std::mutex one_at_a_time_;
  int64_t piece_ = 0;
  std::exception_ptr thrown_;
};

// Calls body(p) for each piece p. The body may throw; what was thrown by the first of the pieces
// that did is thrown again here, and pieces that had not begun by then are left out. All threads
// come, also where there are fewer pieces: from a smaller team OpenMP lets go of those that are
// left over, and makes new ones for the next larger team.
template <class Body>
void for_pieces(int64_t pieces, Begin begin, Body&& body) {
  flush_denormals();
  const int team = threads();
  if (team <= 1 || pieces <= 1) {
    for (int64_t p = 0; p < pieces; ++p) body(p);
    return;
  }
  const int busy = static_cast<int>(std::min<int64_t>(team, pieces));
  Shares left(pieces, begin == Begin::own ? busy : 1);
  Failure failure;
#pragma omp parallel num_threads(team)
  {
    flush_denormals();
    for (int64_t p = left.take(); p >= 0 && !failure; p = left.take()) {
      try {
        body(p);
      } catch (...) {
        failure.keep(p);
      }
    }
  }
  failure.rethrow();
}

// Calls body(begin, end) for consecutive pieces of [0, count), each of `piece` elements but the
// last. Pieces must write to different places. The body may throw, as above.
template <class Body>
void parallel_for(int64_t count, int64_t piece, Body&& body) {
  piece = std::max<int64_t>(piece, 1);
  for_pieces((count + piece - 1) / piece, Begin::own,
             [&](int64_t p) { body(p * piece, std::min(count, (p + 1) * piece)); });
}

// Rows a piece should have when each row costs about `row_cost` element operations: enough work to
// be worth waking a thread for, and for it to be awake before the others, done with theirs, take
// what lies in its cache; and the same for any number of threads.
inline int64_t rows_per_piece(int64_t row_cost) {
  constexpr int64_t worthwhile = 32768;
  return std::max<int64_t>(1, worthwhile / std::max<int64_t>(1, row_cost));
}

// The size of pieces of `count` things, a multiple of `least`: long ones, because the memory at the
// start of each has to be waited for, but enough of them for many threads to share fairly.
inline int64_t long_piece(int64_t count, int64_t least) {
  constexpr int64_t shares = 128;
  return least * std::max<int64_t>(1, count / (shares * least));
}

// Calls body(begin, end) over pieces of [0, rows), where one row costs about `row_cost` operations.
template <class Body>
void for_rows(int64_t rows, int64_t row_cost, Body&& body) {
  parallel_for(rows, long_piece(rows, rows_per_piece(row_cost)), std::forward<Body>(body));
}

// Calls task(number) for each number below `count`, begun in order, each on one thread alone: for
// work of very different lengths, such as whole batches. A single task has all threads for its own
// loops. The task may throw, as above.
template <class Task>
void for_tasks(int64_t count, Task&& task) {
  for_pieces(count, Begin::first, std::forward<Task>(task));
}

// Combines part(begin, end) over the pieces of [0, count), in the order of the pieces:
//   combine(...combine(combine(start, part_0), part_1)..., part_n).
template <class Value, class Part, class Combine>
Value parallel_reduce(int64_t count, int64_t piece, Value start, Part&& part, Combine&& combine) {
  piece = std::max<int64_t>(piece, 1);
  std::vector<Value> parts(static_cast<size_t>((count + piece - 1) / piece));
  parallel_for(count, piece, [&](int64_t begin, int64_t end) {
    parts[static_cast<size_t>(begin / piece)] = part(begin, end);
  });
  for (const Value& value : parts) start = combine(start, value);
  return start;
}

}  // namespace calque
