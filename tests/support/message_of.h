#pragma once
// The message of an exception that a test expects.

#include <exception>
#include <string>

namespace calque {

// The message of the `Kind` of exception that `action` throws; empty if it throws none. Other
// exceptions propagate.
template <class Kind = std::exception, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Kind& error) {
    return error.what();
  }
  return {};
}

}  // namespace calque
