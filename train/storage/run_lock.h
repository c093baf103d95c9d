#pragma once
// One process trains in a run folder at a time. The lock belongs to an open file, so that the
// kernel lets go of it when the process ends, however it ends; the file itself stays and means
// nothing.

#include <string>

namespace calque {

class RunLock {
 public:
  // Takes the lock on RUN/lock, or fails and says who holds it.
  explicit RunLock(const std::string& run_folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace calque
