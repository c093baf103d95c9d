// tiny is Wu et al.'s (2021) for corpora of tens of thousands of pairs; base and big are the
// paper's.
#include "train/config/preset.h"

namespace calque {
namespace {

struct Size {
  int64_t d_model, d_ff, heads, layers;
  double dropout;
};

void set(const Size& size, ModelConfig& model) {
  model.d_model = size.d_model;
  model.d_ff = size.d_ff;
  model.heads = size.heads;
  model.layers = size.layers;
  model.encoder_layers = size.layers;
  model.decoder_layers = size.layers;
  model.dropout = size.dropout;
}

}  // namespace

void apply_preset(ModelConfig& model) {
  switch (model.preset) {
    case ModelConfig::Preset::none:
      return;
    case ModelConfig::Preset::tiny:
      return set({128, 256, 4, 4, 0.3}, model);
    case ModelConfig::Preset::small:
      return set({256, 1024, 4, 3, 0.3}, model);
    case ModelConfig::Preset::base:
      return set({512, 2048, 8, 6, 0.1}, model);
    case ModelConfig::Preset::big:
      return set({1024, 4096, 16, 6, 0.3}, model);
  }
}

}  // namespace calque
