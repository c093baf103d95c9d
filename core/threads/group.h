#pragma once
// A group of threads of a parallel region, for tasks that are fewer than threads. One thread of the
// group, its leader, runs a task; the others wait, and take part in the task's parallel loops.

#include <atomic>
#include <cstdint>

namespace calque {

class ThreadGroup {
 public:
  void set_size(int size) { size_ = size; }
  int size() const { return size_; }

  // The group whose task the calling thread runs, or nullptr. In a parallel loop it is nullptr.
  static ThreadGroup* of_task();
  // The number of the calling thread in the group whose loop it takes part in, or -1.
  static int member();

  // For the leader: runs `task`, whose loops use this group. The others return from help().
  template <class Task>
  void lead(const Task& task) {
    const Leading leading(*this);
    task();
  }
  // For the others: takes part in the loops of the task.
  void help(int member);

  // Calls body() on each thread of the group. Requires that of_task() is this group.
  template <class Body>
  void run(const Body& body) {
    run({[](const void* b) { (*static_cast<const Body*>(b))(); }, &body});
  }

 private:
  struct Loop {
    void (*call)(const void* body) = nullptr;  // nullptr: there are no more loops
    const void* body = nullptr;
  };
  struct Leading {
    explicit Leading(ThreadGroup& group);
    ~Leading();
    Leading(const Leading&) = delete;
    Leading& operator=(const Leading&) = delete;
    ThreadGroup& group;
  };
  void run(const Loop& loop);
  static void take_part(int member, const Loop& loop);

  int size_ = 1;
  Loop loop_;
  alignas(64) std::atomic<uint32_t> begun_ = 0;  // the number of loops that have begun
  alignas(64) std::atomic<int> busy_ = 0;        // the other threads that have not ended the loop
};

}  // namespace calque
