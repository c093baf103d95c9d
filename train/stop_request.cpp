#include "train/stop_request.h"

#include <csignal>
#include <ctime>

namespace calque {
namespace {

volatile std::sig_atomic_t received = 0;
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
  received = 0;
  before_interrupt_ = std::signal(SIGINT, listen);
  before_terminate_ = std::signal(SIGTERM, listen);
  before_hang_up_ = std::signal(SIGHUP, listen);
  if (before_hang_up_ == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  before_pipe_ = std::signal(SIGPIPE, SIG_IGN);
}

StopRequest::~StopRequest() {
  std::signal(SIGINT, before_interrupt_);
  std::signal(SIGTERM, before_terminate_);
  std::signal(SIGHUP, before_hang_up_);
  std::signal(SIGPIPE, before_pipe_);
}

int StopRequest::signal() { return received; }

}  // namespace calque
