#include "train/run/stop_request.h"

#include <array>
#include <csignal>
#include <ctime>
#include <mutex>

namespace calque {
namespace {

constexpr std::array requests = {SIGINT, SIGTERM, SIGUSR1, SIGHUP};
volatile std::sig_atomic_t received = 0;
std::mutex handlers_mutex;
int ignored_later = 0;
int listeners = 0;  // the number of StopRequests: more than one if ranks are threads
std::array<void (*)(int), requests.size()> before;
void (*before_pipe)(int);
timespec received_at;  // written by the handler alone

double seconds_since_received() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - received_at.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - received_at.tv_nsec);
}

// Calls only async-signal-safe functions.
void listen(int signal) {
  if (received == 0) {
    clock_gettime(CLOCK_MONOTONIC, &received_at);
    received = signal;
  } else if (seconds_since_received() > 0.3) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

StopRequest::StopRequest() {
  const std::scoped_lock lock(handlers_mutex);
  if (listeners++ > 0) return;
  received = ignored_later = 0;
  for (size_t i = 0; i < requests.size(); ++i) before[i] = std::signal(requests[i], listen);
  constexpr size_t hang_up = 3;
  static_assert(requests[hang_up] == SIGHUP);
  if (before[hang_up] == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  before_pipe = std::signal(SIGPIPE, SIG_IGN);
}

StopRequest::~StopRequest() {
  const std::scoped_lock lock(handlers_mutex);
  if (--listeners > 0) return;
  for (size_t i = 0; i < requests.size(); ++i) {
    std::signal(requests[i], requests[i] == ignored_later ? SIG_IGN : before[i]);
  }
  std::signal(SIGPIPE, before_pipe);
}

int StopRequest::signal() { return received; }

void StopRequest::ignore_later(int signal) {
  const std::scoped_lock lock(handlers_mutex);
  ignored_later = signal;
}

}  // namespace calque
