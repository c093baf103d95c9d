#pragma once
// Lines of text in, lines of output out: what `calque translate` writes for each.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/translation.h"
#include "train/tasks/translation/translation_run.h"

namespace calque {

// What stands in a line of output: the translation, and behind it, each behind " ||| ", what is
// asked for. With n_best above 1 the number of the input line, from 0, stands in front (Moses'
// n-best format) and a line has several lines of output.
struct LineOptions {
  TranslationOptions search;
  bool scores = false;     // the score that ranks hypotheses, and the log-probability
  bool alignment = false;  // Pharaoh's i-j: source and target words that belong together, from 0
};

class LineTranslator {
 public:
  // Several runs, of the same vocabularies, vote.
  LineTranslator(std::vector<TranslationRun> runs, const LineOptions& options);

  // Why a line cannot be translated, or nothing: not UTF-8, longer than a sentence can be, or than
  // the positions that a model has learned. Of a prefix (target) also: with what the vocabulary has
  // no token for, of which the translation could not begin with more than <unk>.
  enum class Side { source, target };
  std::string objection(const std::string& line, Side side = Side::source) const;

  // The output for consecutive lines without objections, of which the first has this number. With
  // prefixes, a line each, what translations begin with. A line without tokens is translated by its
  // prefix alone, or by nothing.
  std::string translate(std::span<const std::string> lines, int64_t first_number,
                        std::span<const std::string> prefixes = {});

  int64_t tokens_written() const { return tokens_written_; }

 private:
  void write(std::string& out, const std::vector<int32_t>& source, const Hypothesis& hypothesis,
             int64_t number) const;

  std::vector<TranslationRun> runs_;
  LineOptions options_;
  std::vector<const Transformer*> models_;
  int64_t tokens_written_ = 0;
};

// Reads "top-p=0.9,temperature=0.8,top-k=10,seed=3", any of them; an Error says what is
// wrong.
Sampling parse_sampling(const std::string& text);

}  // namespace calque
