// Sources of the values: Wu et al. (2021) for tiny, which is meant for corpora of tens of thousands
// of pairs; "Attention Is All You Need" for all others.
#include "train/config/presets.h"

#include <algorithm>
#include <cmath>

namespace calque {
namespace {

void set_size(ModelConfig& model, int64_t d_model, int64_t d_ff, int64_t heads, int64_t layers,
              double dropout) {
  model.d_model = d_model;
  model.d_ff = d_ff;
  model.heads = heads;
  model.layers = model.encoder_layers = model.decoder_layers = layers;
  model.dropout = static_cast<real>(dropout);
}

}  // namespace

void apply_preset(ModelConfig& model) {
  switch (model.preset) {
    case ModelConfig::Preset::none:
      return;
    case ModelConfig::Preset::tiny:
      return set_size(model, 128, 256, 4, 4, 0.3);
    case ModelConfig::Preset::small:
      return set_size(model, 256, 1024, 4, 3, 0.3);
    case ModelConfig::Preset::base:
      return set_size(model, 512, 2048, 8, 6, 0.1);
    case ModelConfig::Preset::big:
      return set_size(model, 1024, 4096, 16, 6, 0.3);
  }
}

double usual_learning_rate(const Config& config) {
  const TrainingConfig& training = config.training;
  const bool muon = training.optimizer == TrainingConfig::Optimizer::muon;
  const double known = muon ? 0.01 : 0.005;
  constexpr double known_width = 128, known_tokens = 8192;
  const int64_t batch =
      training.chooses_batch() ? TrainingConfig::usual_batch_tokens : training.batch_tokens;
  const double tokens =
      batch > 0 ? static_cast<double>(batch * training.batches_of_update()) : known_tokens;
  return known * std::min(1.0, known_width / static_cast<double>(config.model.d_model)) *
         std::min(1.0, std::sqrt(tokens / known_tokens));
}

double peak_learning_rate(const Config& config) {
  const double set = config.training.learning_rate;
  return set > 0 ? set : usual_learning_rate(config);
}

}  // namespace calque
