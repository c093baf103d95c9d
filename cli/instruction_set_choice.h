#pragma once
// CALQUE_ISA in the environment names the instruction set to run with, by its name or a short one:
// sse4, avx2, avx512.

namespace calque {

// Sets LD_LIBRARY_PATH for a restart and returns true if CALQUE_ISA names another instruction set
// than that of the loaded libraries. Throws an Error if this build or processor does not have it.
bool choose_instruction_set();

}  // namespace calque
