// The features of the CPU, and which of the instruction sets of this build runs.
#include "cli/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/instruction_set.h"
#include "core/processor.h"
#include "core/products/blas.h"
#include "core/products/int8/matrix.h"
#include "core/real.h"
#include "core/threads/parallel.h"
#include "ranks/start_ranks.h"

namespace calque {
namespace {

std::string cpu_features() {
  std::vector<std::string_view> features;
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) features.push_back("AVX2");
  if (__builtin_cpu_supports("fma")) features.push_back("FMA");
  if (__builtin_cpu_supports("avx512f")) features.push_back("AVX-512F");
  if (__builtin_cpu_supports("avx512bw")) features.push_back("AVX-512BW");
  if (__builtin_cpu_supports("avx512vnni")) features.push_back("AVX-512VNNI");
  if (__builtin_cpu_supports("avx512bf16")) features.push_back("AVX-512BF16");
  if (processor_has(Extension::amx_bf16)) features.push_back("AMX");
  if (features.empty()) features.push_back("neither AVX2 nor AVX-512");
#elif defined(__aarch64__)
  features.push_back("NEON");
#endif
  return features.empty() ? "unknown" : fmt::format("{}", fmt::join(features, ", "));
}

}  // namespace

std::string version_text() {
  return fmt::format(
      "calque {}\n"
      "BLAS: {}\n"
      "int8 products: by {}\n"
      "threads: {}\n"
      "MPI: {}\n"
      "CPU: {}\n"
      "built: {} for {}, real = {}\n"
      "instructions: {}",
      CALQUE_VERSION, blas_description(), int8_instructions(), threads(), mpi_description(),
      cpu_features(), __VERSION__, fmt::join(instruction_sets(), ", "),
      sizeof(real) == sizeof(float) ? "float" : "double", instruction_set());
}

}  // namespace calque
