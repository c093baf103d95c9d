#pragma once
// How a score is printed: the value, and a signature with everything needed to compute the same
// number, in sacreBLEU's form:
//   BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:... = 41.0 71.0/47.5/... (BP = ...)
//
// The field `version` names the definitions that the score follows (those of sacreBLEU since its
// version 2) and the program that computed it.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace calque {

// From bootstrap resampling: the mean of the resampled scores, and half the width of the interval
// that contains the middle 95% of them.
struct Confidence {
  double mean = 0;
  double half_width = 0;
};

// `resampling` is the result of resampling_fields(), or empty without resampling.
std::string signature(size_t references, std::string_view resampling,
                      std::initializer_list<std::pair<std::string_view, std::string>> fields);

// name|signature = score (μ = mean ± half_width) details
std::string score_text(std::string_view name, std::string_view signature, double score,
                       const std::optional<Confidence>& confidence, std::string_view details,
                       int decimals);

inline std::string yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace calque
