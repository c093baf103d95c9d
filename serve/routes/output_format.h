#pragma once
// What the text of an answer must be: OpenAI's response_format, and vLLM's guided_regex and
// guided_json.

#include <memory>
#include <string>
#include <vector>

#include "decode/constraints/output_constraint.h"
#include "serve/fields.h"
#include "serve/served_runs.h"

namespace calque {

// The constraint of the fields response_format, regex, guided_regex and guided_json, of which a
// request has one at most, or null. `closings` as in OutputConstraints::of().
std::shared_ptr<const OutputConstraint> requested_constraint(
    const Fields& fields, const ServedLanguageModel& model,
    const std::vector<std::string>& closings = {});

}  // namespace calque
