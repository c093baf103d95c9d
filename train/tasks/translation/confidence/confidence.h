#pragma once
// The confidence of translations, by the calibration that `calque calibrate` stores with a run.

#include <optional>
#include <string>
#include <vector>

#include "train/tasks/translation/confidence/calibration.h"
#include "train/tasks/translation/run.h"

namespace calque {

struct WordConfidence {
  std::string text;
  double confidence = 0;
};

struct TextConfidence {
  double confidence = 0;  // the mean of its words: the share of them that is probably right
  std::vector<WordConfidence> words;
};

struct WordOfText {
  std::string text;
  WordEvidence evidence;
};

// The words of each target, and how probable the model finds them.
std::vector<std::vector<WordOfText>> judge_words(const TranslationRun& run,
                                                 const std::vector<std::vector<int32_t>>& sources,
                                                 const std::vector<std::vector<int32_t>>& targets);

// The confidence of each target as a translation of its source; both are tokens without </s>.
std::vector<TextConfidence> confidences(const TranslationRun& run, const Calibration& calibration,
                                        const std::vector<std::vector<int32_t>>& sources,
                                        const std::vector<std::vector<int32_t>>& targets);

// Writes RUN/confidence.json.
void save_calibration(const TranslationRun& run, const Calibration& calibration);
// The calibration in RUN/confidence.json, or nothing if there is none for these weights. Throws an
// Error if the file is damaged.
std::optional<Calibration> stored_calibration(const TranslationRun& run);
// The same; throws an Error that names `calque calibrate` if there is none.
Calibration calibration_of(const TranslationRun& run);

}  // namespace calque
