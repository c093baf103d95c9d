#pragma once
// Standard output is a file like any other: what could not be written to it is an error.

namespace calque {

// Flushes stdout and std::cout. Throws Error when anything written to them was lost, and BrokenPipe
// when that is because the reader (head, less) has gone away.
struct BrokenPipe {};
void finish_output();

}  // namespace calque
