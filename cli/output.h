#pragma once
// A failed write to standard output is an error, as for any file. Standard error is for remarks;
// failed writes to it are ignored.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace calque {

// Thrown when the reader of standard output (head, less) has closed it.
struct BrokenPipe {};

// Writes to standard output. Throws Error or BrokenPipe.
void write_output(std::string_view text);

// Flushes stdout and std::cout. Throws Error or BrokenPipe if a write to either failed.
void finish_output();

// Writes a remark to standard error.
void note_text(std::string_view text);
template <class... Values>
void note(fmt::format_string<Values...> format, Values&&... values) {
  note_text(fmt::format(format, std::forward<Values>(values)...));
}

// "1 text", "2 texts".
std::string counted(int64_t count, std::string_view noun);

// Returns why the last operation on a file failed, as the end of a message: ": No space left on
// device". Empty if errno is not set.
std::string reason_given();

}  // namespace calque
