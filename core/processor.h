#pragma once
// What the processor has beyond the instruction set that a library is built for. Code with such
// instructions is in files of its own, which calque_sources(... WITH ...) compiles for them
// (cmake/CalqueLayer.cmake), and runs only where processor_has() them.

namespace calque {

enum class Extension { avx_vnni, avx512_vnni, avx512_bf16, amx_int8, amx_bf16 };

// Whether the processor has the instructions and the system lets this process use them.
bool processor_has(Extension extension);

}  // namespace calque
