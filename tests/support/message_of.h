#pragma once
// What went wrong, as its user would read it.

#include <exception>
#include <string>

namespace calque {

// The message of the `Kind` of exception with which `action` fails; empty if it does not fail.
// Other exceptions go on to the test.
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
