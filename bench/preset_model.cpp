#include "preset_model.h"

#include "train/config/load.h"
#include "train/tasks/translation/settings.h"

namespace calque {

Config preset_config(const std::string& preset, const std::string& precision) {
  const std::string text = "data: {train: {toy: copy, pairs: 1}}";
  return parse_config(text, "bench", {"model.preset=" + preset, "training.precision=" + precision})
      .config;
}

BenchModel::BenchModel(const ModelConfig& config, int64_t vocabulary)
    : transformer(Path(parameters), transformer_options(config, vocabulary, vocabulary)) {
  parameters.allocate();
}

}  // namespace calque
