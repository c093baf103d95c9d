#pragma once
// The beam of one sentence: the unfinished hypotheses, the finished ones, and when it is done.

#include <cstdint>
#include <optional>
#include <vector>

#include "decode/next_tokens.h"
#include "decode/search.h"

namespace calque {

class Beam {
 public:
  struct Live {
    std::vector<int32_t> ids;
    double log_probability = 0;
    int32_t row = 0;     // of the last step
    int32_t node = -1;   // in the trace
    int32_t sample = 0;  // which of the translations that are drawn
  };

  // `prefix` is what every hypothesis begins with.
  Beam(const SearchOptions& options, int64_t source_length, std::vector<int32_t> prefix = {});

  const std::vector<Live>& live() const { return live_; }
  bool done() const { return live_.empty(); }

  // Forbids, in one hypothesis' row of scores, what the options do. At the longest length only </s>
  // is left, so that every hypothesis is a whole sentence and scores compare.
  void constrain(const Live& hypothesis, std::span<real> scores) const;
  // How many candidates of each hypothesis advance() needs.
  int64_t candidates() const { return 2 * options_.beam; }
  // One step: the candidates of each live hypothesis, in the order of live(), whose rows were
  // first_row, first_row + 1, ...
  void advance(const std::vector<std::vector<NextToken>>& candidates, int32_t first_row);

  // The same for sampling: the token that was drawn for each, or nothing where none is allowed.
  void follow(const std::vector<std::optional<NextToken>>& drawn, int32_t first_row);

  // The n best, best first.
  std::vector<Hypothesis> result() const;

 private:
  double score(double log_probability, int64_t length) const;
  bool decided() const;
  int32_t note(int32_t parent, const NextToken& added, int64_t length, double log_probability);
  void mark(int32_t node, BeamFate fate);
  void finish(std::vector<int32_t> ids, double log_probability, bool ended, int32_t node = -1);

  SearchOptions options_;
  std::vector<int32_t> prefix_;
  int64_t shortest_, longest_;
  std::vector<Live> live_{Live{}};
  std::vector<Hypothesis> finished_;
};

}  // namespace calque
