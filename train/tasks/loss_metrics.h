#pragma once
// The metrics that follow from the sums of a cross-entropy: loss, nll, perplexity and accuracy.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "train/metrics/metric_info.h"
#include "train/report/records.h"

namespace calque {

// `term` names one term of the sum, such as "token".
std::vector<MetricInfo> loss_metrics(const std::string& term);

// Those of a loss over classes, and the macro F1.
std::vector<MetricInfo> metrics_of_classes(const std::string& term);
std::span<const MetricInfo> class_metrics();

// The values of loss_metrics(), by name.
std::vector<std::pair<std::string, double>> loss_values(const LossSums& sums);

}  // namespace calque
