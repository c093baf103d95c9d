#include "core/threads/group.h"

#include <utility>

namespace calque {
namespace {

thread_local ThreadGroup* led = nullptr;
thread_local int number = -1;

// Loops follow one another within microseconds, so a thread tries for a while before it sleeps.
template <class Number, class Done>
void wait_until(const std::atomic<Number>& value, const Done& done) {
  constexpr int tries = 4000;
  for (int i = 0; i < tries; ++i) {
    if (done(value.load(std::memory_order_acquire))) return;
#ifdef __SSE2__
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  for (Number seen = value.load(); !done(seen); seen = value.load()) value.wait(seen);
}

}  // namespace

ThreadGroup* ThreadGroup::of_task() { return number < 0 ? led : nullptr; }
int ThreadGroup::member() { return number; }

ThreadGroup::Leading::Leading(ThreadGroup& led_group) : group(led_group) { led = &group; }
ThreadGroup::Leading::~Leading() {
  led = nullptr;
  group.run(Loop());
}

void ThreadGroup::take_part(int member, const Loop& loop) {
  number = member;
  loop.call(loop.body);
  number = -1;
}

void ThreadGroup::run(const Loop& loop) {
  loop_ = loop;
  busy_.store(size_ - 1, std::memory_order_relaxed);
  begun_.fetch_add(1);
  begun_.notify_all();
  if (!loop.call) return;
  take_part(0, loop);
  wait_until(busy_, [](int busy) { return busy == 0; });
}

void ThreadGroup::help(int member) {
  for (uint32_t seen = 0;; ++seen) {
    wait_until(begun_, [seen](uint32_t begun) { return begun != seen; });
    if (!loop_.call) return;
    take_part(member, loop_);
    if (busy_.fetch_sub(1) == 1) busy_.notify_one();
  }
}

}  // namespace calque
