#pragma once
// Which heads attend to the previous token, to the first one, to their own, or to what followed an
// earlier occurrence of their token (Olsson et al. 2022: induction heads). A head is named by
// scores that are measured on the text at hand.

#include <span>
#include <string_view>
#include <vector>

#include "decode/inspection/inspection.h"
#include "nn/models/language_model.h"

namespace calque {

// The scores of every head of every layer. The scores of induction come from a second pass, over
// <s> and the rest of the text twice, cut to `longest` tokens.
std::vector<HeadPattern> head_patterns(const LanguageModel& model, std::span<const int32_t> ids,
                                       int64_t longest);

// The pattern with the highest score if that is at least 0.4, such as "previous token"; else empty.
std::string_view pattern_name(const HeadPattern& pattern);

}  // namespace calque
