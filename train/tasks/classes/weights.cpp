#include "train/tasks/classes/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/parse_number.h"

namespace calque {
namespace {

bool is_balanced(const std::vector<std::string>& list) {
  return list.size() == 1 && list.front() == "balanced";
}

// Returns nothing for text that is not LABEL=WEIGHT.
std::optional<std::pair<std::string, double>> label_and_weight(const std::string& text) {
  const size_t sign = text.rfind('=');
  if (sign == text.npos || sign == 0) return std::nullopt;
  const auto weight = parse_number<double>(std::string_view(text).substr(sign + 1));
  if (!weight || !std::isfinite(*weight) || *weight <= 0) return std::nullopt;
  return std::pair(text.substr(0, sign), *weight);
}

std::vector<real> balanced_weights(const std::vector<int64_t>& counts) {
  const auto examples = static_cast<double>(std::reduce(counts.begin(), counts.end()));
  std::vector<real> weights;
  for (const int64_t count : counts) {
    weights.push_back(
        static_cast<real>(examples / static_cast<double>(std::ssize(counts) * count)));
  }
  return weights;
}

}  // namespace

std::string class_weights_problem(const std::vector<std::string>& list) {
  if (is_balanced(list)) return "";
  Labels named;
  for (const std::string& text : list) {
    const auto found = label_and_weight(text);
    if (!found) {
      return fmt::format(
          "'{}' is not LABEL=WEIGHT with a weight above 0; give a list of them, or balanced", text);
    }
    if (std::ranges::count(named, found->first) > 0) {
      return fmt::format("the label '{}' has two weights", found->first);
    }
    named.push_back(found->first);
  }
  return "";
}

std::vector<Contradiction> class_weight_contradictions(const Config& config) {
  const std::vector<std::string>& weights = config.training.class_weights;
  std::vector<Contradiction> all;
  if (!weights.empty() && config.training.r_drop > 0) {
    all.push_back({"training.class_weights", "cannot be combined with r_drop; set one of them"});
  }
  if (const std::string problem = class_weights_problem(weights); !problem.empty()) {
    all.push_back({"training.class_weights", problem});
  }
  return all;
}

std::vector<real> class_weights(const std::vector<std::string>& list, const Labels& labels,
                                const std::vector<int64_t>& counts) {
  if (list.empty()) return {};
  if (is_balanced(list)) return balanced_weights(counts);
  const std::string problem = class_weights_problem(list);
  if (!problem.empty()) fail("training.class_weights: {}", problem);
  std::vector<real> weights(labels.size(), 1);
  for (const std::string& text : list) {
    const auto [label, weight] = *label_and_weight(text);
    const auto place = std::ranges::lower_bound(labels, label);
    if (place == labels.end() || *place != label) {
      fail("training.class_weights: data.train has no label '{}'; its labels are {}", label,
           fmt::join(labels, ", "));
    }
    weights[static_cast<size_t>(place - labels.begin())] = static_cast<real>(weight);
  }
  return weights;
}

}  // namespace calque
