#include "core/threads/parallel.h"

#include <atomic>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "core/error.h"

namespace calque {
namespace {

int initial_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

std::atomic<int>& thread_setting() {
  static std::atomic<int> count{initial_threads()};
  return count;
}

}  // namespace

int member() {
  if (const int in_group = ThreadGroup::member(); in_group >= 0) return in_group;
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

int team_size() {
#ifdef _OPENMP
  return omp_get_num_threads();
#else
  return 1;
#endif
}

int threads() {
  if (const ThreadGroup* const group = ThreadGroup::of_task()) return group->size();
#ifdef _OPENMP
  if (omp_in_parallel()) return 1;
#endif
  return thread_setting().load(std::memory_order_relaxed);
}

void set_threads(int count) {
  require(count >= 1, "set_threads: {} is not a number of threads; give at least 1", count);
  thread_setting() = count;
}

#ifdef _OPENMP
OneThread::OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
OneThread::~OneThread() { omp_set_num_threads(before_); }
#else
OneThread::OneThread() : before_(1) {}
OneThread::~OneThread() = default;
#endif

Shares::Shares(int64_t chunks, int count) : wanted_(count), count_(std::min(count, most)) {
  for (int s = 0; s < count_; ++s) {
    Share& share = shares_[static_cast<size_t>(s)];
    share.next = chunks * s / count_;
    share.end = chunks * (s + 1) / count_;
  }
}

int64_t Shares::take() {
  const int own = member();
  if (wanted_ > 1 && own >= wanted_) return -1;
  for (int s = 0; s < count_; ++s) {
    Share& share = shares_[static_cast<size_t>((own + s) % count_)];
    if (share.next.load(std::memory_order_relaxed) >= share.end) continue;
    const int64_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
    if (chunk < share.end) return chunk;
  }
  return -1;
}

void Failure::keep(int64_t chunk) {
  const std::lock_guard lock(mutex_);
  if (there_ && chunk_ < chunk) return;
  chunk_ = chunk;
  thrown_ = std::current_exception();
  there_ = true;
}

void Failure::rethrow() const {
  if (there_) std::rethrow_exception(thrown_);
}

void flush_denormals() {
  thread_local bool flushed = false;
  if (flushed) return;
#ifdef __SSE2__
  constexpr unsigned flush_results = 0x8000, flush_inputs = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_results | flush_inputs);
#elif defined(__aarch64__)
  constexpr uint64_t flush_results_and_inputs = uint64_t{1} << 24;
  uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | flush_results_and_inputs));
#endif
  flushed = true;
}

}  // namespace calque
