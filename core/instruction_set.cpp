#include "core/instruction_set.h"

#include <dlfcn.h>

#include <algorithm>

#include "core/error.h"

namespace calque {

std::string_view instruction_set() { return CALQUE_INSTRUCTION_SET; }

std::span<const std::string_view> instruction_sets() {
  static constexpr std::string_view sets[] = {CALQUE_INSTRUCTION_SETS};
  return sets;
}

bool processor_supports([[maybe_unused]] std::string_view instruction_set) {
#ifdef __x86_64__
  const bool second = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool third = second && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                     __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool fourth = third && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (instruction_set == "x86-64-v2") return second;
  if (instruction_set == "x86-64-v3") return third;
  if (instruction_set == "x86-64-v4") return fourth;
#endif
  return true;
}

std::string library_folder(std::string_view instruction_set) {
  Dl_info library{};
  require(dladdr(reinterpret_cast<const void*>(&processor_supports), &library) != 0,
          "library_folder: the library has no file");
  std::string folder = library.dli_fname;
  folder.resize(folder.rfind('/'));
  folder.resize(std::min(folder.size(), folder.rfind("/glibc-hwcaps/")));
  return fmt::format("{}/glibc-hwcaps/{}", folder, instruction_set);
}

}  // namespace calque
