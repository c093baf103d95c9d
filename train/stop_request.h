#pragma once
// Ctrl-C and SIGTERM ask training to stop: the step is finished, a checkpoint written, and the
// program ends with status 130 or 143. A second signal ends it at once, as if nobody had listened;
// but one that follows within a third of a second is the same request, which some programs send
// twice: timeout(1) signals its child and then its child's whole group.

namespace calque {

class StopRequest {
 public:
  StopRequest();   // listens
  ~StopRequest();  // as before
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal that came, or 0.
  static int signal();

 private:
  void (*before_interrupt_)(int);
  void (*before_terminate_)(int);
};

}  // namespace calque
