#pragma once
// Watches the other ranks from a thread of its own. Each rank sends all others a heartbeat a few
// times a second, also while it computes or writes a checkpoint. A rank that is stopped, or behind
// a broken network, is silent; one that has ended on this machine is missed at once, before the
// launcher ends the others.

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

// How heartbeats travel. Called from the watching thread alone.
class Heartbeats {
 public:
  virtual ~Heartbeats() = default;
  virtual void send(int to) = 0;
  // Whether one has arrived since the last call.
  virtual bool receive(int from) = 0;
};

struct WatchOptions {
  std::chrono::milliseconds deadline{20'000};
  // Whether this process has been asked to stop. The launcher does that also when a rank has ended,
  // and kills the others a second later, so silence then has a shorter deadline.
  std::function<bool()> stopping = [] { return false; };
  // Called once, from the thread, with a line about the rank that is missed. It ends the process.
  std::function<void(const std::string& line)> end;
  // Called instead where a lower rank says the line.
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
  // What is wrong with a rank, if anything is.
  std::optional<std::string> problem_of(size_t rank, Clock::time_point now) const;
  void look(Clock::time_point now);

  const int rank_;
  const std::vector<RankProcess> ranks_;
  Heartbeats& heartbeats_;
  const WatchOptions options_;
  std::vector<Clock::time_point> heard_;
  std::optional<Clock::time_point> stopping_since_, lost_since_;
  int speaker_ = -1;  // once a rank is lost
  std::atomic<int64_t> step_ = 0;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace calque
