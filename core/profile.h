#pragma once
// Records how long each op takes, forward and backward, and how much work it does, while a
// Profiling scope is alive on the computing thread. Without a scope, the cost per op is a test of a
// pointer.
//
//   Profile profile;
//   {
//     const Profiling on(profile);
//     ...                            // steps of training
//   }
//   for (const Profile::Sum& sum : profile.sums()) ...
//
// Ops run one after another, so the time of an op is the time since the end of the one before it.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace calque {

class Profile {
 public:
  enum class Kind { forward, backward, phase };
  // FLOPs of matrix products without recomputation, and bytes of tensors read or written once.
  struct Work {
    double flops = 0, bytes = 0;
  };
  struct Event {
    const char* name;
    Kind kind;
    double start, seconds;  // start: since the construction of the profile
    Work work = {};
  };
  struct Sum {
    std::string name;
    Kind kind;
    int64_t calls = 0;
    double seconds = 0;
    Work work = {};
  };

  // Keeps at most this many single events; sums have no limit.
  explicit Profile(size_t most_events = 50'000) : most_events_(most_events) {}

  // The profile of the Profiling scope on this thread, or nullptr.
  static Profile* current();

  std::vector<Sum> sums() const;  // in no particular order
  Sum sum_of(const std::string& name, Kind kind) const;
  const std::vector<Event>& events() const { return events_; }

  // For the tape: mark() begins the next op; op_ended() records an op whose tensors have `numbers`
  // numbers.
  void mark();
  void op_ended(const char* name, Kind kind, int64_t numbers);
  // Adds to the work of the running op. Bytes counted here replace the estimate from `numbers`.
  void count(const Work& work);

 private:
  friend class Phase;
  friend class Profiling;
  double now() const;
  void add(const Event& event);

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  size_t most_events_;
  std::vector<Event> events_;
  std::map<std::pair<std::string, Kind>, Sum> sums_;
  double mark_ = 0;
  Work counted_;
};

// Records into the profile while it is alive.
class Profiling {
 public:
  explicit Profiling(Profile& profile);
  ~Profiling();
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;

 private:
  Profile* before_;
};

// Records a part of a step that is not an op or contains several, from construction to the end of
// the scope.
class Phase {
 public:
  explicit Phase(const char* name, const Profile::Work& work = {});
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Profile* profile_;
  Profile::Event event_{};
};

// The FLOPs that ops have counted on this thread since it started, with or without a profile.
// Products on other threads are counted on the thread of the op; recomputation is not counted.
double counted_flops();

// For ops: adds to the work of the running op.
void count_work(const Profile::Work& work);

// Turns count_work() off on this thread, for the chunks of a loop whose work is already counted.
class WorkIsCounted {
 public:
  WorkIsCounted();
  ~WorkIsCounted();
  WorkIsCounted(const WorkIsCounted&) = delete;
  WorkIsCounted& operator=(const WorkIsCounted&) = delete;

 private:
  bool before_;
};

}  // namespace calque
