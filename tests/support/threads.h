#pragma once

#include "core/threads/parallel.h"

namespace calque {

// Sets the number of threads; the destructor restores the previous number, even if the test has
// set another one.
class Threads {
 public:
  explicit Threads(int count = threads()) : before_(threads()) { set_threads(count); }
  ~Threads() { set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

}  // namespace calque
