#pragma once
// SIGINT (Ctrl-C), SIGTERM, SIGUSR1 and SIGHUP (unless nohup ignores it) ask training to stop: it
// finishes the step, writes a checkpoint and ends with status 130, 143, 138 or 129. (Open MPI's
// mpirun kills its processes soon after a SIGTERM, but not after a SIGUSR1.) A second signal ends
// the program at once; but a signal within 0.3 seconds counts as the same request, because some
// programs send two: timeout(1) signals its child and then the child's process group. SIGPIPE is
// ignored, so that training continues when nobody reads its output.

namespace calque {

class StopRequest {
 public:
  StopRequest();   // the first object installs the handlers
  ~StopRequest();  // the last object restores the earlier handlers
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal received, or 0.
  static int signal();

  // To be called when all ranks end because of this signal. The signal may reach this rank only
  // after the handlers are restored; it is ignored then.
  static void ignore_later(int signal);
};

}  // namespace calque
