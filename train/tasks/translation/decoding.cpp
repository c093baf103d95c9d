#include "train/tasks/translation/decoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "train/config/load.h"

namespace calque {

DecodingConfig decoding_of(const TranslationRun& run, const DecodingChoice& choice) {
  std::vector<std::string> settings = choice.settings;
  const auto loaded = [&] {
    return load_complete_config(run.folder.config(), settings).config.decoding;
  };
  if (choice.beam > 0) settings.push_back(fmt::format("decoding.beam={}", choice.beam));
  if (choice.mbr > 0) settings.push_back(fmt::format("decoding.mbr={}", choice.mbr));
  if (!choice.mbr_metric.empty()) settings.push_back("decoding.mbr_metric=" + choice.mbr_metric);
  if (choice.n_best == 0) return loaded();
  settings.emplace_back("decoding.n_best=1");  // valid with any beam
  DecodingConfig decoding = loaded();
  decoding.n_best = choice.n_best;
  decoding.beam = std::max(decoding.beam, decoding.n_best);
  return decoding;
}

}  // namespace calque
