#include "train/metrics/score_text.h"

#include <fmt/format.h>

namespace calque {
namespace {

constexpr std::string_view version = "2.x/calque-0.1.0";

}  // namespace

std::string signature(size_t references, std::string_view resampling,
                      std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  std::string text = fmt::format("nrefs:{}", references);
  if (!resampling.empty()) text += fmt::format("|{}", resampling);
  for (const auto& [name, value] : fields) text += fmt::format("|{}:{}", name, value);
  return text + fmt::format("|version:{}", version);
}

std::string score_text(std::string_view name, std::string_view signature, double score,
                       const std::optional<Confidence>& confidence, std::string_view details,
                       int decimals) {
  std::string text = fmt::format("{}|{} = {:.{}f}", name, signature, score, decimals);
  if (confidence && confidence->mean > 0) {
    text += fmt::format(" (μ = {:.{}f} ± {:.{}f})", confidence->mean, decimals,
                        confidence->half_width, decimals);
  }
  if (!details.empty()) text += fmt::format(" {}", details);
  return text;
}

}  // namespace calque
