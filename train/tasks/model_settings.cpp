#include "train/tasks/model_settings.h"

namespace calque {
namespace {

// The choice of the same place in another enumeration that has the same choices in the same order.
template <class To, class From>
To same_choice(From choice) {
  return static_cast<To>(static_cast<int>(choice));
}

}  // namespace

LayerOptions layer_options(const ModelConfig& model) {
  LayerOptions layer;
  layer.d_model = model.d_model;
  layer.d_ff = model.d_ff;
  layer.heads = model.heads;
  layer.positions = same_choice<PositionKind>(model.positions);
  layer.max_positions = model.max_positions;
  layer.norm_placement = same_choice<NormPlacement>(model.norm);
  layer.norm_kind = same_choice<NormKind>(model.norm_kind);
  layer.norm_epsilon = static_cast<real>(model.norm_epsilon);
  layer.feed_forward = same_choice<FeedForwardKind>(model.activation);
  layer.dropout = static_cast<real>(model.dropout);
  layer.attention_dropout = static_cast<real>(model.attention_dropout);
  layer.activation_dropout = static_cast<real>(model.activation_dropout);
  return layer;
}

}  // namespace calque
