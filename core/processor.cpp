#include "core/processor.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <array>
#include <cstddef>

namespace calque {

#ifdef __x86_64__

namespace {

// The registers eax to edx of the leaf for extended features.
struct Features {
  explicit Features(unsigned part) { __get_cpuid_count(7, part, &a, &b, &c, &d); }
  unsigned a = 0, b = 0, c = 0, d = 0;
};
bool bit(unsigned word, int number) { return (word >> number & 1U) != 0; }

// Linux lets a process use the registers only after a request.
bool matrix_registers_are_granted() {
#ifdef __linux__
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

// The builtin also asks whether the system saves the registers.
bool detect(Extension extension) {
  const Features first(0), second(1);
  const bool wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  switch (extension) {
    case Extension::avx_vnni:
      return __builtin_cpu_supports("avx2") && bit(second.a, 4);
    case Extension::avx512_vnni:
      return wide && bit(first.c, 11);
    case Extension::avx512_bf16:
      return wide && bit(second.a, 5);
    case Extension::amx_int8:
      return bit(first.d, 24) && bit(first.d, 25) && matrix_registers_are_granted();
    case Extension::amx_bf16:
      return bit(first.d, 24) && bit(first.d, 22) && matrix_registers_are_granted();
  }
  return false;
}

}  // namespace

bool processor_has(Extension extension) {
  static const std::array there = {detect(Extension::avx_vnni), detect(Extension::avx512_vnni),
                                   detect(Extension::avx512_bf16), detect(Extension::amx_int8),
                                   detect(Extension::amx_bf16)};
  return there.at(static_cast<size_t>(extension));
}

#else

bool processor_has(Extension) { return false; }

#endif

}  // namespace calque
