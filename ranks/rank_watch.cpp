#include "ranks/rank_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <utility>

namespace calque {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds check_interval{50}, heartbeat_interval{250};
constexpr milliseconds deadline_when_stopping{1000};
constexpr milliseconds pause_threshold{2000};  // a longer pause: this process was stopped itself
constexpr milliseconds no_checks_after_pause{5000};
constexpr milliseconds report_timeout{3000};  // for the rank that reports

// True also for a zombie, whose status the launcher has not yet read.
bool has_ended(int64_t process) {
  if (::kill(static_cast<pid_t>(process), 0) != 0) return errno == ESRCH;
  std::ifstream file(fmt::format("/proc/{}/stat", process));  // "1234 (name) S ..."; only on Linux
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(") ");
  return name_end != text.npos && name_end + 2 < text.size() && text[name_end + 2] == 'Z';
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
  Clock::time_point last_heartbeat{}, no_checks_until{}, before = Clock::now();
  while (!done_) {
    const Clock::time_point now = Clock::now();
    if (now - before > pause_threshold) {  // the others may be ending because of the pause
      std::ranges::fill(heard_, now);
      no_checks_until = now + no_checks_after_pause;
    }
    before = now;
    if (now - last_heartbeat >= heartbeat_interval) {
      beat(now);
      last_heartbeat = now;
    }
    if (now >= no_checks_until) look(now);
    std::this_thread::sleep_for(check_interval);
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
  const bool stopping = stopping_since_ && now - *stopping_since_ > deadline_when_stopping / 2;
  if (silent <= (stopping ? deadline_when_stopping : options_.deadline)) return std::nullopt;
  return fmt::format("has not answered for {:.0f} s", static_cast<double>(silent.count()) / 1e3);
}

// The lowest rank without a problem reports the loss and ends the job. The other ranks wait for
// that and do not report the end of the reporting rank as another loss.
void RankWatch::look(Clock::time_point now) {
  if (!stopping_since_ && options_.stopping()) stopping_since_ = now;
  std::optional<int> reporter;
  std::string line;
  for (size_t r = 0; r < ranks_.size(); ++r) {
    const auto problem = problem_of(r, now);
    if (!problem && !reporter) reporter = static_cast<int>(r);
    if (!problem || !line.empty()) continue;
    line =
        fmt::format("rank {} on {} {}; training ends at step {}, and the same command resumes it",
                    r, ranks_[r].host, *problem, step_.load());
  }
  if (line.empty()) return;
  if (!lost_since_) {
    lost_since_ = now;
    speaker_ = *reporter;
  }
  if (speaker_ == rank_) {
    options_.end(line);
    done_ = true;
  } else if (now - *lost_since_ > report_timeout) {
    options_.leave();
    done_ = true;
  }
}

}  // namespace calque
