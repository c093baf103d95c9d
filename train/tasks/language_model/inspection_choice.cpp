#include "train/tasks/language_model/inspection_choice.h"

#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/parse_number.h"

namespace calque {
namespace {

// Far more than what changes the output; the numbers within the model stay finite.
constexpr int most_strength = 1000;

}  // namespace

HeadPlace parse_head(const std::string& text) {
  const size_t dot = text.find('.');
  const std::string_view value = text;
  const auto layer = parse_number<int64_t>(value.substr(0, dot));
  const auto head =
      dot == std::string::npos ? std::nullopt : parse_number<int64_t>(value.substr(dot + 1));
  if (!layer || !head || *layer < 0 || *head < 0) {
    fail("'{}' is no LAYER.HEAD, such as 2.3 for head 3 of layer 2", text);
  }
  return {*layer - 1, *head - 1};
}

Steering parse_steering(const std::string& text) {
  const size_t last = text.rfind(':');
  const size_t first =
      last == std::string::npos || last == 0 ? std::string::npos : text.rfind(':', last - 1);
  if (first != std::string::npos && first > 0) {
    const std::string_view value = text;
    const auto layer = parse_number<int64_t>(value.substr(first + 1, last - first - 1));
    const auto strength = parse_number<double>(value.substr(last + 1));
    if (layer && strength && std::isfinite(*strength)) {
      if (std::abs(*strength) > most_strength) {
        fail("the strength of '{}' is not between -{} and {}", text, most_strength, most_strength);
      }
      return {text.substr(0, first), *layer, *strength};
    }
  }
  fail("'{}' is no WORD:LAYER:STRENGTH, such as sea:2:0.5", text);
}

}  // namespace calque
