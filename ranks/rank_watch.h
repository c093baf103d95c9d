#pragma once
// Watches the other ranks from a thread of its own. Each rank sends a heartbeat to all others four
// times per second, also while it computes or writes a checkpoint. None
// arrive from a rank that is suspended or behind a broken network. The end of a rank on this
// machine is detected at once, before the launcher ends the others.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace calque {

struct RankProcess {
  std::string host;
  int64_t process = 0;
};

// Sends and receives heartbeats. Only the watching thread calls it.
class Heartbeats {
 public:
  virtual ~Heartbeats() = default;
  virtual void send(int to) = 0;
  // Whether a heartbeat has arrived since the last call.
  virtual bool receive(int from) = 0;
};

struct WatchOptions {
  std::chrono::milliseconds deadline{20'000};
  // Whether this process has been asked to stop. A launcher sends the same request to the remaining
  // ranks after one has ended, and kills them a second later, so the deadline is shorter then.
  std::function<bool()> stopping = [] { return false; };
  // Called once, from the watching thread, with a line about the lost rank. It ends the process.
  std::function<void(const std::string& line)> end;
  // Called instead of end() on a rank that leaves the report to a lower rank, if that rank has not
  // ended the job in time.
  std::function<void()> leave;
};

class RankWatch {
 public:
  RankWatch(int rank, std::vector<RankProcess> ranks, Heartbeats& heartbeats, WatchOptions options);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  void at_step(int64_t step) { step_ = step; }

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void beat(Clock::time_point now);
  // The problem of a rank, such as "has ended", or nothing.
  std::optional<std::string> problem_of(size_t rank, Clock::time_point now) const;
  void look(Clock::time_point now);

  const int rank_;
  const std::vector<RankProcess> ranks_;
  Heartbeats& heartbeats_;
  const WatchOptions options_;
  std::vector<Clock::time_point> heard_;
  std::optional<Clock::time_point> stopping_since_, lost_since_;
  int speaker_ = -1;  // the rank that reports the lost rank
  std::atomic<int64_t> step_ = 0;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace calque
