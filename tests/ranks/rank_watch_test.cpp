// How a rank detects that another rank is stopped, unreachable or ended.
#include "ranks/rank_watch.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <mutex>

using namespace calque;
using std::chrono::milliseconds;

namespace {

// Heartbeats arrive from all ranks except `silent`, or from all if it is `none`.
constexpr int none = -1;
class FakeHeartbeats final : public Heartbeats {
 public:
  explicit FakeHeartbeats(int silent) : silent_(silent) {}
  void send(int) override {}
  bool receive(int from) override { return from != silent_; }

 private:
  int silent_;
};

// Which functions of WatchOptions a watch has called: leave(), or end() with a line.
struct Calls {
  std::atomic<bool> left = false;
  std::mutex mutex;
  std::string line;
  std::string reported() {
    const std::scoped_lock lock(mutex);
    return line;
  }
};

WatchOptions options_of(Calls& calls, milliseconds deadline) {
  WatchOptions options;
  options.deadline = deadline;
  options.end = [&](const std::string& line) {
    const std::scoped_lock lock(calls.mutex);
    calls.line = line;
  };
  options.leave = [&] { calls.left = true; };
  return options;
}

void wait_until(milliseconds timeout, const std::function<bool()>& condition) {
  for (milliseconds waited{0}; waited < timeout && !condition(); waited += milliseconds(10)) {
    std::this_thread::sleep_for(milliseconds(10));
  }
}

const std::vector<RankProcess> three_ranks = {{"a", getpid()}, {"b", getpid()}, {"c", getpid()}};

}  // namespace

TEST_CASE("a rank that sends nothing until the deadline is reported with its host and the step") {
  FakeHeartbeats heartbeats(2);
  Calls calls;
  const auto start = std::chrono::steady_clock::now();
  RankWatch watch(0, three_ranks, heartbeats, options_of(calls, milliseconds(1200)));
  watch.at_step(57);
  wait_until(milliseconds(10'000), [&] { return !calls.reported().empty(); });
  CHECK(std::chrono::steady_clock::now() - start >= milliseconds(1200));
  CHECK(calls.reported().starts_with("rank 2 on c has not answered for "));
  CHECK(calls.reported().find("at step 57") != std::string::npos);
  CHECK(!calls.left);
}

TEST_CASE("no rank is reported while all ranks send heartbeats") {
  FakeHeartbeats heartbeats(none);
  Calls calls;
  const RankWatch watch(0, three_ranks, heartbeats, options_of(calls, milliseconds(700)));
  wait_until(milliseconds(2000), [&] { return !calls.reported().empty(); });
  CHECK(calls.reported().empty());
}

TEST_CASE("the lowest rank without a problem reports the lost rank, and a higher one only leaves") {
  FakeHeartbeats heartbeats(0);
  Calls second, third;
  const RankWatch watch_of_second(1, three_ranks, heartbeats,
                                  options_of(second, milliseconds(600)));
  const RankWatch watch_of_third(2, three_ranks, heartbeats, options_of(third, milliseconds(600)));
  wait_until(milliseconds(15'000), [&] { return third.left.load(); });
  CHECK(second.reported().starts_with("rank 0 on a"));
  CHECK(!second.left);
  CHECK(third.left);
  CHECK(third.reported().empty());
}

TEST_CASE("a rank on the same machine whose process has ended is reported before the deadline") {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  FakeHeartbeats heartbeats(none);
  Calls calls;
  const RankWatch watch(0, {{"here", getpid()}, {"here", child}}, heartbeats,
                        options_of(calls, milliseconds(60'000)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  wait_until(milliseconds(10'000), [&] { return !calls.reported().empty(); });
  CHECK(calls.reported().starts_with("rank 1 on here has ended"));
}

TEST_CASE("after a request to stop, a silent rank is reported long before the deadline") {
  FakeHeartbeats heartbeats(1);
  Calls calls;
  WatchOptions options = options_of(calls, milliseconds(60'000));
  options.stopping = [] { return true; };
  const RankWatch watch(0, three_ranks, heartbeats, std::move(options));
  wait_until(milliseconds(20'000), [&] { return !calls.reported().empty(); });
  CHECK(calls.reported().starts_with("rank 1 on b has not answered"));
}
