// Signals during training: the first asks training to stop, the second ends the process, and two
// within a moment count as one.
#include "train/stop_request.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace calque {
namespace {

// Starts a process with a StopRequest, which receives `signal` and, after a pause, `second`.
// Returns the signal that ended it, or 0 if it survived.
int ended_by(int signal, int second, int pause_microseconds) {
  const pid_t child = fork();
  if (child == 0) {
    const StopRequest listening;
    std::raise(signal);
    if (StopRequest::signal() != signal) _exit(1);
    usleep(static_cast<useconds_t>(pause_microseconds));
    std::raise(second);
    _exit(StopRequest::signal() == signal ? 0 : 2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  CHECK(WEXITSTATUS(status) == 0);
  return 0;
}

}  // namespace

TEST_CASE("a signal is a stop request, and without one there is none") {
  const StopRequest listening;
  CHECK(StopRequest::signal() == 0);
  std::raise(SIGTERM);
  CHECK(StopRequest::signal() == SIGTERM);
}

TEST_CASE("SIGHUP is a stop request too, unless it is ignored") {
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

TEST_CASE("the signal for which other ranks end may come after training") {
  {
    const StopRequest listening;
    StopRequest::ignore_later(SIGUSR1);
  }
  std::raise(SIGUSR1);  // would end the tests
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
  const auto own = [](int) {};
  const auto before = std::signal(SIGINT, own);
  { const StopRequest listening; }
  const bool restored = std::signal(SIGINT, before) == static_cast<void (*)(int)>(own);
  CHECK(restored);
}

TEST_CASE("a second signal ends the program, whichever of the two it is") {
  CHECK(ended_by(SIGINT, SIGINT, 500'000) == SIGINT);
  CHECK(ended_by(SIGTERM, SIGINT, 500'000) == SIGINT);
  CHECK(ended_by(SIGINT, SIGTERM, 500'000) == SIGTERM);
}

TEST_CASE("the same request sent twice at once is one request") {
  CHECK(ended_by(SIGINT, SIGINT, 0) == 0);
  CHECK(ended_by(SIGTERM, SIGTERM, 0) == 0);
}

}  // namespace calque
