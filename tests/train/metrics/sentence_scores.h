#pragma once
// The scores of a single segment.

#include <span>
#include <string>
#include <vector>

#include "train/metrics/translation/bleu.h"
#include "train/metrics/translation/chrf.h"
#include "train/metrics/translation/ter.h"

namespace calque {

inline std::vector<std::vector<std::string>> one_segment(std::span<const std::string> references) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& reference : references) lines.push_back({reference});
  return lines;
}

inline BleuScore sentence_bleu(const std::string& hypothesis,
                               std::span<const std::string> references, BleuOptions options = {}) {
  options.effective_order = true;
  return bleu(std::span(&hypothesis, 1), one_segment(references), options);
}

inline ChrfScore sentence_chrf(const std::string& hypothesis,
                               std::span<const std::string> references,
                               const ChrfOptions& options = {}) {
  return chrf(std::span(&hypothesis, 1), one_segment(references), options);
}

inline TerScore sentence_ter(const std::string& hypothesis, std::span<const std::string> references,
                             const TerOptions& options = {}) {
  return ter(std::span(&hypothesis, 1), one_segment(references), options);
}

}  // namespace calque
