#pragma once
// Pairs that differ little.

#include <cstdint>
#include <optional>
#include <string_view>

namespace calque {

// A hash of both texts that does not depend on case, digits, punctuation and white space. Nothing
// if a side has no letter. Requires well-formed UTF-8.
std::optional<uint64_t> likeness(std::string_view source, std::string_view target);

}  // namespace calque
