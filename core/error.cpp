#include "core/error.h"

namespace calque {

void throw_error(fmt::string_view message, fmt::format_args args) {
  throw Error(fmt::vformat(message, args));
}

void throw_misuse(fmt::string_view message, fmt::format_args args) {
  throw Misuse(fmt::vformat(message, args));
}

}  // namespace calque
