#pragma once
// The attribution of an output to the tokens that the model has read: gradient times input
// (Simonyan et al. 2013; Shrikumar et al. 2016). The number of a token is the derivative of the
// output's logit by a factor of the token's embedding. The logit, unlike the probability, does not
// saturate where the model is sure.

#include <cstdint>
#include <span>
#include <vector>

#include "core/real.h"
#include "decode/inspection/inspection.h"
#include "nn/models/language_model.h"

namespace calque {

// For the logit of a token after the ids, one number for each of the ids. The model's parameters
// should be frozen (core/parameters.h); otherwise they receive gradients too.
std::vector<real> attribution(const LanguageModel& model, std::span<const int32_t> ids,
                              int32_t token);

// The same for the last `outputs` tokens of the text, each predicted from the tokens before it:
// [outputs, tokens of the text but the last]. The rest of each row is 0.
ExplainedMatrix attributions(const LanguageModel& model, std::span<const int32_t> text,
                             int64_t outputs);

}  // namespace calque
