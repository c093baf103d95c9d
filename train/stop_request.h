#pragma once
// Ctrl-C and SIGTERM ask training to stop: the step is finished, a checkpoint written, and the
// program ends with status 130 or 143. A second signal ends it at once, as if nobody had listened.

namespace calque {

class StopRequest {
 public:
  StopRequest();   // listens
  ~StopRequest();  // as before
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal that came, or 0.
  static int signal();
};

}  // namespace calque
