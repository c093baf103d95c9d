#pragma once
// Whether this is a build with AddressSanitizer. It makes the tests some ten times slower and watches
// memory, not numbers, so a test repeats itself less often there.

namespace calque {

#ifdef CALQUE_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace calque
