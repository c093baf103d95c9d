#pragma once
// How many terms of a glossary translations have.

#include <cstdint>
#include <span>
#include <string>

#include "data/terms/glossary.h"

namespace calque {

struct TermCounts {
  int64_t terms = 0;  // in the sources; a term that a source has twice counts once
  int64_t exact = 0;  // as the glossary has them
  int64_t forms = 0;  // inflected, or as another translation of the glossary

  // "97.50% of 812, 81.20% in the first form"; "none" without terms.
  std::string text() const;
};

TermCounts count_terms(const Glossary& glossary, std::span<const std::string> sources,
                       std::span<const std::string> translations);

// The terms of a text, each once.
std::vector<const Term*> distinct_terms(const Glossary& glossary, const std::string& text);

}  // namespace calque
