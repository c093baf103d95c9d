#pragma once
// The beam of one item: its unfinished and finished hypotheses, and the rule that ends the search.

#include <cstdint>
#include <span>
#include <vector>

#include "decode/search/next_tokens.h"
#include "decode/search/search.h"

namespace calque {

class Beam {
 public:
  struct Live {
    std::vector<int32_t> ids;
    double log_probability = 0;
    int32_t row = 0;    // the row of the last step that it continues
    int32_t node = -1;  // its index in the trace
  };

  Beam(const SearchOptions& options, const DecodingItem& item);

  const std::vector<Live>& live() const { return live_; }
  bool done() const { return live_.empty(); }

  // The most probable continuations of a hypothesis that may follow it, and those that begin or
  // continue a required phrase. Changes the scores.
  std::vector<NextToken> candidates(const Live& hypothesis, std::span<real> scores) const;
  // Extends the live hypotheses by their candidates, which are in the order of live(). Hypothesis i
  // has row first_row + i in this step.
  void advance(const std::vector<std::vector<NextToken>>& candidates, int32_t first_row);

  // The n best hypotheses that were found, best first; there may be fewer than n.
  std::vector<Hypothesis> result() const;

 private:
  struct Candidate {
    double log_probability;
    size_t parent;
    int32_t id;
  };
  std::vector<Candidate> ranked(const std::vector<std::vector<NextToken>>& candidates) const;
  bool decided() const;
  int64_t written_phrases(const Live& parent, int32_t id) const;
  int32_t note(int32_t parent, const NextToken& added, int64_t length, double log_probability);
  void mark(int32_t node, BeamFate fate);
  void finish(std::vector<int32_t> ids, double log_probability, bool ended, int32_t node);

  SearchOptions options_;
  DecodingItem item_;
  std::vector<Live> live_{Live{}};
  std::vector<Hypothesis> finished_;
};

}  // namespace calque
