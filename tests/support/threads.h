#pragma once

#include "core/parallel.h"

namespace calque {

// As many threads as asked for, until the end of the scope; whatever a test sets meanwhile, what
// comes after it has as many as before.
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
