// OpenBLAS allocates a buffer for each thread while it is loaded, before main(), and retries for
// ever if there is no memory (ulimit -v, a small container). This check runs before the
// initialisers of all libraries (.preinit_array) and exits with a message instead. It may use
// only system calls.

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr unsigned long buffer = (128UL << 20) + (1UL << 20);  // OpenBLAS's, with overhead

void require_memory_for_blas(int, char**, char**) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  const int known = sched_getaffinity(0, sizeof processors, &processors);
  const unsigned long threads = known == 0 ? CPU_COUNT(&processors) : 1;
  // Two more buffers cover libraries and the threads for data and checkpoints. Only addresses are
  // reserved; no page is touched.
  const unsigned long wanted = (threads + 2) * buffer;
  void* const memory = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) {
    munmap(memory, wanted);
    return;
  }
  constexpr char message[] =
      "calque: not enough memory to start: OpenBLAS reserves 128 MB of addresses for each "
      "processor; raise the limit (ulimit -v), or use fewer processors (taskset)\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, message, sizeof message - 1);
  _exit(1);
}

}  // namespace

extern "C" {
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const calque_first)(int, char**, char**) = require_memory_for_blas;
}
#endif
