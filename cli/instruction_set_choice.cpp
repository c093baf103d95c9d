#include "cli/instruction_set_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/instruction_set.h"

namespace calque {
namespace {

std::string_view full_name(std::string_view name) {
  if (name == "sse4") return "x86-64-v2";
  if (name == "avx2") return "x86-64-v3";
  if (name == "avx512") return "x86-64-v4";
  return name;
}

}  // namespace

bool choose_instruction_set() {
  const char* const given = std::getenv("CALQUE_ISA");
  if (!given || *given == '\0') return false;
  const std::string_view chosen = full_name(given);
  const auto sets = instruction_sets();
  if (std::ranges::find(sets, chosen) == sets.end()) {
    fail("CALQUE_ISA={}: this build has only {}", given, fmt::join(sets, ", "));
  }
  if (!processor_supports(chosen)) {
    fail("CALQUE_ISA={}: this processor does not have {}; it runs {}", given, chosen,
         instruction_set());
  }
  if (chosen == instruction_set()) return false;
  const std::string folder = library_folder(chosen);
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  const std::string path = before ? folder + ':' + before : folder;
  if (before && std::string_view(before).starts_with(folder)) {
    fail("CALQUE_ISA={}: {} has no libraries of this build; install calque again", given, folder);
  }
  return setenv("LD_LIBRARY_PATH", path.c_str(), 1) == 0;
}

}  // namespace calque
