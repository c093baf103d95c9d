// Signals during training: the first asks training to stop, a second one ends the process, and two
// within 0.3 seconds count as one.
#include "train/run/stop_request.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace calque {
namespace {

// Starts a process with a StopRequest, in which it raises `first` and, after a pause, `second`.
// Returns the signal that ended the process, or 0 if it ended itself.
int ended_by(int first, int second, int pause_microseconds) {
  const pid_t child = fork();
  if (child == 0) {
    const StopRequest listening;
    std::raise(first);
    if (StopRequest::signal() != first) _exit(1);
    usleep(static_cast<useconds_t>(pause_microseconds));
    std::raise(second);
    _exit(StopRequest::signal() == first ? 0 : 2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  CHECK(WEXITSTATUS(status) == 0);
  return 0;
}

constexpr int longer_than_a_repetition = 500'000;  // microseconds; signals count as one for 0.3 s

}  // namespace

TEST_CASE("signal() returns 0 before SIGTERM, and SIGTERM after it") {
  const StopRequest listening;
  CHECK(StopRequest::signal() == 0);
  std::raise(SIGTERM);
  CHECK(StopRequest::signal() == SIGTERM);
}

TEST_CASE("SIGHUP is a stop request unless the process ignored it before") {
  const auto before = std::signal(SIGHUP, SIG_DFL);
  {
    const StopRequest listening;
    std::raise(SIGHUP);
    CHECK(StopRequest::signal() == SIGHUP);
  }
  std::signal(SIGHUP, SIG_IGN);
  {
    const StopRequest listening;
    std::raise(SIGHUP);
    CHECK(StopRequest::signal() == 0);
  }
  std::signal(SIGHUP, before);
}

TEST_CASE(
    "a signal passed to ignore_later() is ignored after training, until training begins again") {
  {
    const StopRequest listening;
    StopRequest::ignore_later(SIGUSR1);
  }
  std::raise(SIGUSR1);  // ends the test program if it is not ignored
  CHECK((std::signal(SIGUSR1, SIG_DFL) == SIG_IGN));
  { const StopRequest listening; }
  CHECK((std::signal(SIGUSR1, SIG_DFL) == SIG_DFL));
}

TEST_CASE("SIGPIPE is not a stop request") {
  const StopRequest listening;
  std::raise(SIGPIPE);
  CHECK(StopRequest::signal() == 0);
}

TEST_CASE("the earlier signal handlers are restored") {
  const auto earlier = [](int) {};
  const auto before = std::signal(SIGINT, earlier);
  { const StopRequest listening; }
  const bool restored = std::signal(SIGINT, before) == static_cast<void (*)(int)>(earlier);
  CHECK(restored);
}

TEST_CASE("a later second signal ends the process, also if it is another signal") {
  CHECK(ended_by(SIGINT, SIGINT, longer_than_a_repetition) == SIGINT);
  CHECK(ended_by(SIGTERM, SIGINT, longer_than_a_repetition) == SIGINT);
  CHECK(ended_by(SIGINT, SIGTERM, longer_than_a_repetition) == SIGTERM);
}

TEST_CASE("the same signal sent twice at once counts as one request") {
  CHECK(ended_by(SIGINT, SIGINT, 0) == 0);
  CHECK(ended_by(SIGTERM, SIGTERM, 0) == 0);
}

}  // namespace calque
