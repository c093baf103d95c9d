#pragma once
// The parts of an explanation that pages and figures show.

#include <optional>
#include <string>
#include <vector>

#include "core/named.h"
#include "decode/explanation.h"

namespace calque {

// Throws a Misuse if a part does not fit the others, such as a matrix of another size.
void require_consistent(const Explanation& explanation);

// A step's most likely tokens, and a histogram of the other logits: enough to show the effect of a
// temperature on the whole distribution.
struct StepSummary {
  struct Alternative {
    int32_t token = 0;
    float logit = 0;
  };
  std::vector<Alternative> best;                 // descending; includes the chosen token
  double log_normaliser = 0;                     // log of the sum of exp(logit) over the vocabulary
  std::vector<double> rest_logits, rest_counts;  // bins: mean logit and number of tokens
};
StepSummary summarise_step(const std::vector<float>& logits, int32_t chosen, size_t best_count);

// The mean over the heads of all layers, or of one layer; empty if there are none.
ExplainedMatrix mean_weights(const std::vector<ExplainedHead>& heads, std::optional<int> layer);

inline constexpr Named<BeamFate> beam_fates[] = {{"kept", BeamFate::kept},
                                                 {"finished", BeamFate::finished},
                                                 {"best", BeamFate::best},
                                                 {"pruned", BeamFate::pruned}};

// The text of a token as a JSON string.
std::string token_json(const Explanation& explanation, int32_t token);

// The data of the page as JSON, with few digits for each number. `inspection` is JSON too.
std::string explanation_page_data(const Explanation& explanation, const std::string& inspection);

}  // namespace calque
