#pragma once
// The Vision Transformer (Dosovitskiy et al. 2021): an image is cut into square patches, a linear
// layer maps each to a token, and an encoder reads the tokens of an image row by row. Pooling::cls
// puts a learned token in front of them and classifies its output vector; Pooling::mean classifies
// the mean of all output vectors.
//
// Parameters: patches.weight, patches.bias, cls.weight (Pooling::cls), positions.weight (learned),
// layers.0.self_attention.qkv.weight, ..., norm.gain (pre-norm), classifier.weight,
// classifier.bias.

#include <optional>

#include "core/ops.h"
#include "nn/models/classification_head.h"
#include "nn/models/encoder.h"

namespace calque {

struct VisionOptions {
  LayerOptions layer = {.positions = PositionKind::learned, .norm_placement = NormPlacement::pre};
  int64_t layers = 6;
  int64_t height = 28, width = 28, channels = 1;
  int64_t patch = 4;  // pixels of a side
  ClassificationHeadOptions head = {.dense = false};

  int64_t pixels() const { return height * width * channels; }
  int64_t patches() const { return height / patch * (width / patch); }
  int64_t tokens() const { return patches() + (head.pooling == Pooling::cls ? 1 : 0); }
  bool operator==(const VisionOptions&) const = default;
};

// Returns the options. Throws an Error that names the invalid setting and the fix.
const VisionOptions& validate(const VisionOptions& options);

// Cuts images [images, height x width x channels] into patches [images x patches, patch x patch x
// channels]. Patches, and the pixels of a patch, are in row-major order with channels last. The op
// has no gradient.
Tensor patches_of(const Tensor& images, const VisionOptions& options);

// Returns sinusoids for positions in a plane, one row per token: the first half encodes the row of
// the patch, the second half its column, each as PositionKind::halves. With Pooling::cls, row 0
// belongs to the learned token and is zero.
Tensor plane_sinusoids(const VisionOptions& options);

struct VisionTransformer {
  VisionOptions options;
  Linear patches;
  Tensor cls;    // [1, d_model], or absent
  Tensor plane;  // [tokens, d_model] of PositionKind::plane, or absent
  EncoderBody body;
  ClassificationHead head;

  // Throws an Error if the options are invalid.
  VisionTransformer(const Path& at, const VisionOptions& options);

  // images [images, height x width x channels] -> [images, d_model], the input of the head
  Tensor pooled(const Tensor& images, Mode mode, AttentionRecord* record = nullptr) const;

 private:
  Tensor with_cls(const Tensor& tokens, int64_t images) const;
};

}  // namespace calque
