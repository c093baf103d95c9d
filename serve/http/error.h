#pragma once
// What a route throws to refuse a request.

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace calque {

struct HttpError : std::runtime_error {
  int status;
  HttpError(int status_, const std::string& message)
      : std::runtime_error(message), status(status_) {}
};

template <class... Args>
[[noreturn]] void refuse(int status, fmt::format_string<Args...> message, Args&&... args) {
  throw HttpError(status, fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace calque
