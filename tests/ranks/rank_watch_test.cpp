// How ranks notice that another one is stopped, cut off or gone.
#include "ranks/rank_watch.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <mutex>

using namespace calque;
using std::chrono::milliseconds;

namespace {

// Rank `silent` sends nothing.
class SomeHeartbeats final : public Heartbeats {
 public:
  explicit SomeHeartbeats(int silent) : silent_(silent) {}
  void send(int) override {}
  bool receive(int from) override { return from != silent_; }

 private:
  int silent_;
};

// What a watch on machine "here" has said after some time.
struct Watched {
  std::atomic<bool> left = false;
  std::mutex mutex;
  std::string line;
  std::string text() {
    const std::scoped_lock lock(mutex);
    return line;
  }
};

WatchOptions options_of(Watched& watched, milliseconds deadline) {
  WatchOptions options;
  options.deadline = deadline;
  options.end = [&](const std::string& line) {
    const std::scoped_lock lock(watched.mutex);
    watched.line = line;
  };
  options.leave = [&] { watched.left = true; };
  return options;
}

void wait_until(milliseconds most, const std::function<bool()>& condition) {
  for (milliseconds waited{0}; waited < most && !condition(); waited += milliseconds(10)) {
    std::this_thread::sleep_for(milliseconds(10));
  }
}

const std::vector<RankProcess> three = {{"a", getpid()}, {"b", getpid()}, {"c", getpid()}};

}  // namespace

TEST_CASE("a rank that is silent for the deadline is named, with its host and the step") {
  SomeHeartbeats heartbeats(2);
  Watched watched;
  const auto start = std::chrono::steady_clock::now();
  RankWatch watch(0, three, heartbeats, options_of(watched, milliseconds(1200)));
  watch.at_step(57);
  wait_until(milliseconds(10'000), [&] { return !watched.text().empty(); });
  CHECK(std::chrono::steady_clock::now() - start >= milliseconds(1200));
  CHECK(watched.text().starts_with("rank 2 on c has not answered for "));
  CHECK(watched.text().find("at step 57") != std::string::npos);
  CHECK(!watched.left);
}

TEST_CASE("ranks that answer are not missed") {
  SomeHeartbeats heartbeats(-1);
  Watched watched;
  const RankWatch watch(0, three, heartbeats, options_of(watched, milliseconds(700)));
  wait_until(milliseconds(2000), [&] { return !watched.text().empty(); });
  CHECK(watched.text().empty());
}

TEST_CASE("the lowest rank that is well speaks, and a higher one only leaves") {
  SomeHeartbeats heartbeats(0);
  Watched second, third;
  const RankWatch one(1, three, heartbeats, options_of(second, milliseconds(600)));
  const RankWatch two(2, three, heartbeats, options_of(third, milliseconds(600)));
  wait_until(milliseconds(15'000), [&] { return third.left.load(); });
  CHECK(second.text().starts_with("rank 0 on a"));
  CHECK(!second.left);
  CHECK(third.left);
  CHECK(third.text().empty());
}

TEST_CASE("a rank on the same machine whose process has ended is named before the deadline") {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  SomeHeartbeats heartbeats(-1);
  Watched watched;
  const RankWatch watch(0, {{"here", getpid()}, {"here", child}}, heartbeats,
                        options_of(watched, milliseconds(60'000)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  wait_until(milliseconds(10'000), [&] { return !watched.text().empty(); });
  CHECK(watched.text().starts_with("rank 1 on here has ended"));
}

TEST_CASE("silence is noticed soon once the launcher has asked this process to stop") {
  SomeHeartbeats heartbeats(1);
  Watched watched;
  WatchOptions options = options_of(watched, milliseconds(60'000));
  options.stopping = [] { return true; };
  const RankWatch watch(0, three, heartbeats, std::move(options));
  wait_until(milliseconds(20'000), [&] { return !watched.text().empty(); });
  CHECK(watched.text().starts_with("rank 1 on b has not answered"));
}
