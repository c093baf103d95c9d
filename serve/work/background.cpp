#include "serve/work/background.h"

#include <new>

#ifdef __linux__
#include <sys/resource.h>
#endif

namespace calque {

void give_way_to_other_threads() {
#ifdef __linux__
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 10);
#endif
}

std::string message_for_client(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return *error.what() ? error.what() : "an unknown error";
  }
}

}  // namespace calque
