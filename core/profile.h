#pragma once
// Where the time goes: how long each op takes, forward and backward, and how much work it does in
// that time. Written while a Profiling scope is alive on the thread that computes; otherwise a look
// at one pointer is all that it costs.
//
//   Profile profile;
//   {
//     const Profiling on(profile);
//     ...                            // steps of training
//   }
//   for (const Profile::Sum& sum : profile.sums()) ...
//
// Ops are not marked one by one: they run one after another, so an op took the time since the end
// of the one before it.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace calque {

class Profile {
 public:
  // again: a forward pass made once more in the backward pass, which did not keep its result.
  enum class Kind { forward, backward, again, phase };
  // Useful FLOPs of matrix products, and bytes of tensors that had to come in or go out once.
  struct Work {
    double flops = 0, bytes = 0;
  };
  struct Event {
    const char* name;
    Kind kind;
    double start, seconds;  // from the beginning of the profile
    Work work = {};
  };
  struct Sum {
    std::string name;
    Kind kind;
    int64_t calls = 0;
    double seconds = 0;
    Work work = {};
  };

  // Single events are kept up to a number; the sums go on.
  explicit Profile(size_t most_events = 50'000) : most_events_(most_events) {}

  // The one that is being written on this thread, or none.
  static Profile* current();

  std::vector<Sum> sums() const;  // in no particular order
  Sum sum_of(const std::string& name, Kind kind) const;
  const std::vector<Event>& events() const { return events_; }

  // For the tape: the next op begins now; an op has ended, whose tensors have so many numbers.
  void mark();
  void op_ended(const char* name, Kind kind, int64_t numbers);
  // Work of the op that is running. One that counts its own bytes is believed.
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

// While one lives, the profile is the thread's current one.
class Profiling {
 public:
  explicit Profiling(Profile& profile);
  ~Profiling();
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;

 private:
  Profile* before_;
};

// A part of a step that is not an op, or holds many: from here to the end of the scope.
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

// The useful FLOPs of all ops that have run on this thread since it started, with or without a
// profile: the FLOPs of a step are a difference. A product that an op gives to other threads counts
// on the op's own; what is recomputed in the backward pass does not count again.
double counted_flops();

// For ops: what the running op does.
void count_work(const Profile::Work& work);

// While one lives, count_work() on this thread does nothing: for the chunks of a loop whose work
// has been counted as a whole.
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
