#pragma once
// Ctrl-C, SIGTERM and a terminal that goes away (SIGHUP, unless nohup has it ignored) ask training
// to stop: the step is finished, a checkpoint written, and the program ends with status 130, 143 or
// 129. A second signal ends it at once, as if nobody had listened; but one that follows within a
// third of a second is the same request, which some programs send twice: timeout(1) signals its
// child and then its child's whole group. Meanwhile a reader of the output that goes away (SIGPIPE)
// ends nothing: what a step has learnt is worth more than what is said about it.

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
  void (*before_hang_up_)(int);
  void (*before_pipe_)(int);
};

}  // namespace calque
