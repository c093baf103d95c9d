#pragma once
// A run whose translations become training data of another run.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/translation.h"
#include "train/tasks/translation/run.h"

namespace calque {

struct TeacherOutput {
  // too_long: more tokens than the run's data.max_length or than its learned positions.
  // unfinished: the translation has no words, or was cut off at its longest length.
  enum class Outcome { translated, empty, too_long, unfinished };

  Outcome outcome = Outcome::translated;
  std::string text = {};  // the translation, on one line
};

class Teacher {
 public:
  // Translates as calque translate does with this beam, or with this sampling instead. Throws an
  // Error if `path` is no run of a translator, or does not know the languages.
  Teacher(const std::string& path, int64_t beam, const std::optional<Sampling>& sampling,
          const LanguageChoice& languages = {});

  // Of everything that decides the translations of a text: weights, tokenizers, search.
  uint64_t hash() const { return hash_; }

  // Translates consecutive lines, which are UTF-8, numbered from `first_number`. Sampling depends
  // on the number of a line.
  std::vector<TeacherOutput> translate(std::span<const std::string> lines,
                                       int64_t first_number) const;

 private:
  TranslationRun run_;
  TranslationOptions options_;
  int64_t longest_ = 0;  // tokens of a line; 0: no limit
  uint64_t hash_ = 0;
};

}  // namespace calque
