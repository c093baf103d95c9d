#pragma once
// SIGINT (Ctrl-C), SIGTERM and SIGHUP (unless nohup ignores it) ask training to stop: it finishes
// the step, writes a checkpoint and ends with status 130, 143 or 129. A second signal ends the
// program at once; but a signal within 0.3 seconds counts as the same request, because some
// programs send two: timeout(1) signals its child and then the child's process group. SIGPIPE is
// ignored, so that training continues when nobody reads its output.

namespace calque {

class StopRequest {
 public:
  StopRequest();   // installs the handlers
  ~StopRequest();  // restores the earlier ones
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal received, or 0.
  static int signal();

 private:
  void (*before_interrupt_)(int);
  void (*before_terminate_)(int);
  void (*before_hang_up_)(int);
  void (*before_pipe_)(int);
};

}  // namespace calque
