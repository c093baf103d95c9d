#pragma once
// What went wrong, as its user would read it.

#include <exception>
#include <string>

namespace calque {

// The message with which `action` fails; empty if it does not.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace calque
