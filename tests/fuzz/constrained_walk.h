#pragma once
// Writes a text under a constraint, with tokens chosen by the bytes of an input. Each step must
// have an allowed token, and a finished text must match.

#include "decode/constraints/random_output.h"
#include "fuzz/memory_file.h"

namespace calque {

// The text, or nothing if the choices end before it.
inline std::optional<std::string> constrained_walk(const Grammar& grammar,
                                                   std::string_view choices) {
  static const auto vocabulary = std::make_shared<const SpelledVocabulary>(small_spellings());
  const auto made =
      accepted([&] { return std::make_shared<const OutputConstraint>(vocabulary, grammar); });
  if (!made) return std::nullopt;
  ConstrainedText text(*made, {end_id}, {});
  std::string written;
  for (const char choice : choices) {
    if (text.is_complete()) break;
    const std::vector<int32_t> ids = allowed_tokens(text, vocabulary->size());
    must(!ids.empty());
    const int32_t id = ids[static_cast<uint8_t>(choice) % ids.size()];
    if (id == end_id) {
      must((*made)->accepts(written));
      return written;
    }
    written += text.spelling(id);
    text.append(id);
  }
  if (!text.is_complete()) return std::nullopt;
  must((*made)->accepts(written));
  return written;
}

}  // namespace calque
