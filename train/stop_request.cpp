#include "train/stop_request.h"

#include <csignal>

namespace calque {
namespace {

volatile std::sig_atomic_t received = 0;

void listen(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);  // the next one is not listened to
}

}  // namespace

StopRequest::StopRequest() {
  received = 0;
  std::signal(SIGINT, listen);
  std::signal(SIGTERM, listen);
}

StopRequest::~StopRequest() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int StopRequest::signal() { return received; }

}  // namespace calque
