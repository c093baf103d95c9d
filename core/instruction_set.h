#pragma once
// The instruction sets that this build has code for. The layers with vectors are built once for
// each, and the loader takes the library for the highest one that the processor has
// (cmake/CalqueInstructionSets.cmake).

#include <span>
#include <string>
#include <string_view>

namespace calque {

// The one of the loaded library, such as "x86-64-v3".
std::string_view instruction_set();

// All of this build, the lowest first.
std::span<const std::string_view> instruction_sets();

bool processor_supports(std::string_view instruction_set);

// The folder with the libraries for one of instruction_sets(), if there are several.
std::string library_folder(std::string_view instruction_set);

}  // namespace calque
