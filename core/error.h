#pragma once
// The two kinds of failure. An Error is something the user can fix: a bad file, a bad setting, a
// full disk. Its message is one line that names the file or setting, the position in it and the
// fix. A Misuse is a mistake in the calling program; its message names the function and the
// arguments that do not fit.

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace calque {

class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Misuse : public std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void throw_error(fmt::string_view message, fmt::format_args args);
[[noreturn]] void throw_misuse(fmt::string_view message, fmt::format_args args);

// fail("{}:{}: not valid UTF-8 (byte {})", path, line, byte);
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw_error(message, fmt::make_format_args(args...));
}

// require(x.cols() == w.rows(), "linear: x is {} but w is {}", x.shape(), w.shape());
template <class... Args>
void require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) throw_misuse(message, fmt::make_format_args(args...));
}

}  // namespace calque
