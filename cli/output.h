#pragma once
// Standard output is a file like any other: what could not be written to it is an error. Standard
// error is for remarks: that nobody hears them is no reason to fail.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace calque {

// Thrown where the reader of standard output (head, less) has gone away.
struct BrokenPipe {};

// Writes to standard output; an Error if that fails, or BrokenPipe.
void write_output(std::string_view text);

// Flushes stdout and std::cout; the same if anything written to them was lost.
void finish_output();

// Says something on standard error beside the result.
void note_text(std::string_view text);
template <class... Values>
void note(fmt::format_string<Values...> format, Values&&... values) {
  note_text(fmt::format(format, std::forward<Values>(values)...));
}

// Why the last operation on a file failed, as the end of a message: ": No space left on device", or
// nothing if the system has not said.
std::string reason_given();

}  // namespace calque
