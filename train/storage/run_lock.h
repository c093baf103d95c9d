#pragma once
// Ensures that only one process at a time trains in a run folder. The lock belongs to an open file,
// so the kernel releases it however the process ends. The file remains; its existence has no
// meaning.

#include <string>

namespace calque {

class RunLock {
 public:
  // Locks RUN/lock, or throws an Error that names the process that holds it.
  explicit RunLock(const std::string& run_folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace calque
