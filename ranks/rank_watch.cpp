#include "ranks/rank_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace calque {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_every{50}, beat_every{250};
constexpr milliseconds silence_when_stopping{1000};
constexpr milliseconds own_pause{2000};      // this process was stopped itself
constexpr milliseconds time_to_speak{3000};  // for a lower rank

bool has_ended(int64_t process) {
  return ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

}  // namespace

RankWatch::RankWatch(int rank, std::vector<RankProcess> ranks, Heartbeats& heartbeats,
                     WatchOptions options)
    : rank_(rank),
      ranks_(std::move(ranks)),
      heartbeats_(heartbeats),
      options_(std::move(options)),
      heard_(ranks_.size(), Clock::now()),
      thread_([this] { run(); }) {}

RankWatch::~RankWatch() {
  done_ = true;
  thread_.join();
}

void RankWatch::run() {
  Clock::time_point beaten{}, before = Clock::now();
  while (!done_) {
    const Clock::time_point now = Clock::now();
    if (now - before > own_pause) std::ranges::fill(heard_, now);
    before = now;
    if (now - beaten >= beat_every) {
      beat(now);
      beaten = now;
    }
    look(now);
    std::this_thread::sleep_for(look_every);
  }
}

void RankWatch::beat(Clock::time_point now) {
  for (size_t r = 0; r < ranks_.size(); ++r) {
    if (static_cast<int>(r) == rank_) continue;
    heartbeats_.send(static_cast<int>(r));
    if (heartbeats_.receive(static_cast<int>(r))) heard_[r] = now;
  }
}

std::optional<std::string> RankWatch::problem_of(size_t rank, Clock::time_point now) const {
  const RankProcess& other = ranks_[rank];
  if (static_cast<int>(rank) == rank_) return std::nullopt;
  if (other.host == ranks_[static_cast<size_t>(rank_)].host && has_ended(other.process)) {
    return "has ended";
  }
  const auto silent = std::chrono::duration_cast<milliseconds>(now - heard_[rank]);
  const bool stopping = stopping_since_ && now - *stopping_since_ > silence_when_stopping / 2;
  if (silent <= (stopping ? silence_when_stopping : options_.deadline)) return std::nullopt;
  return fmt::format("has not answered for {:.0f} s", static_cast<double>(silent.count()) / 1e3);
}

// The lowest rank that is well says the line; the others, for which its own end is no news, wait
// for that to end them.
void RankWatch::look(Clock::time_point now) {
  if (!stopping_since_ && options_.stopping()) stopping_since_ = now;
  std::optional<int> lowest_well;
  std::string line;
  for (size_t r = 0; r < ranks_.size(); ++r) {
    const auto problem = problem_of(r, now);
    if (!problem && !lowest_well) lowest_well = static_cast<int>(r);
    if (!problem || !line.empty()) continue;
    line =
        fmt::format("rank {} on {} {}; training ends at step {}, and the same command resumes it",
                    r, ranks_[r].host, *problem, step_.load());
  }
  if (line.empty()) return;
  if (!lost_since_) {
    lost_since_ = now;
    speaker_ = *lowest_well;
  }
  if (speaker_ == rank_) {
    options_.end(line);
    done_ = true;
  } else if (now - *lost_since_ > time_to_speak) {
    options_.leave();
    done_ = true;
  }
}

}  // namespace calque
