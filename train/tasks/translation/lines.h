#pragma once
// Translates lines of text to lines of output in the format of `calque translate`.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "train/tasks/translation/confidence/calibration.h"
#include "train/tasks/translation/context.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/text_search.h"

namespace calque {

// A line of output is the translation, followed by the selected fields, each after " ||| ". With
// n_best above 1, a line of input has up to n_best lines of output, which begin with its number and
// have `scores` (Moses' n-best format).
struct LineOptions {
  TextSearch search;
  bool scores = false;     // the score of the ranking, and the log-probability
  bool alignment = false;  // pairs i-j of source and target words, from 0 (Pharaoh)
  // Adds the confidence of the translation, and that of each of its words.
  std::optional<Calibration> confidence = {};
};

class LineTranslator {
 public:
  // Several runs form an ensemble and must have the same vocabularies. Lines are context of the
  // next ones for a run with data.preceding_sentences, whose words cannot be aligned.
  LineTranslator(std::vector<TranslationRun> runs, const LineOptions& options);

  // As objection_to(), for the runs of this translator.
  std::string objection(const std::string& line, PairSide side = PairSide::source) const {
    return objection_to(runs_, line, side);
  }

  // The output for consecutive lines without objections, numbered from `first_number`. Translation
  // i begins with prefixes[i], if prefixes are given. A line without tokens becomes its prefix.
  std::string translate(std::span<const std::string> lines, int64_t first_number,
                        std::span<const std::string> prefixes = {});

  int64_t tokens_written() const { return tokens_written_; }
  // Returns the warnings since the last call, each with the number of its line.
  std::vector<std::pair<int64_t, std::string>> take_warnings() {
    return std::exchange(warnings_, {});
  }

 private:
  void write(std::string& out, const FoundTranslations& found, size_t k, int64_t number) const;

  std::vector<TranslationRun> runs_;
  LineOptions options_;
  std::vector<Translator> models_;
  PrecedingSentences before_;
  int64_t tokens_written_ = 0;
  std::vector<std::pair<int64_t, std::string>> warnings_;
};

}  // namespace calque
