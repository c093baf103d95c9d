#pragma once
// Compares translations with references word by word, to fit and to test a calibration. A word is
// right if the fewest edits that turn the translation into the reference keep it.

#include <span>
#include <string>
#include <vector>

#include "train/tasks/translation/confidence/calibration.h"
#include "train/tasks/translation/run.h"

namespace calque {

// The words of each translation.
std::vector<std::vector<JudgedWord>> judged_words(const TranslationRun& run,
                                                  const std::vector<std::string>& sources,
                                                  const std::vector<std::string>& translations,
                                                  const std::vector<std::string>& references);

struct CalibrationReport {
  int64_t words = 0, sentences = 0;
  double right = 0;  // the share of the words
  double error_of_words = 0, error_of_sentences = 0;

  // "1014 sentences, 12345 words, 67.8% of them right; expected calibration error: ..."
  std::string text() const;
};

CalibrationReport report_on(const Calibration& calibration,
                            std::span<const std::vector<JudgedWord>> sentences);
// Each half of the sentences by a calibration that is fitted to the other half.
CalibrationReport cross_validated(std::span<const std::vector<JudgedWord>> sentences);

std::vector<JudgedWord> joined(std::span<const std::vector<JudgedWord>> sentences);

}  // namespace calque
