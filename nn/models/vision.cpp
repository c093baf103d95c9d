#include "nn/models/vision.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"

namespace calque {
namespace {

// The options of the encoder body: a table of positions has a row for each token of an image.
LayerOptions body_options(const VisionOptions& options) {
  LayerOptions layer = options.layer;
  layer.max_positions = options.tokens();
  return layer;
}

}  // namespace

const VisionOptions& validate(const VisionOptions& options) {
  validate(body_options(options));
  if (options.layers <= 0) fail("layers is {}; it must be at least 1", options.layers);
  if (options.patch <= 0 || options.height % options.patch != 0 ||
      options.width % options.patch != 0) {
    fail("patch is {}, which does not divide images of {} x {} pixels; use a divisor of both sides",
         options.patch, options.width, options.height);
  }
  return options;
}

Tensor patches_of(const Tensor& images, const VisionOptions& options) {
  require(images.cols() == options.pixels(), "patches_of: images of {} numbers, not {}",
          images.cols(), options.pixels());
  const int64_t patch = options.patch, line = patch * options.channels;
  Tensor patches({images.rows() * options.patches(), patch * line});
  const real* from = images.data();
  const int64_t in_row = options.width / patch;
  for (int64_t row = 0; row < images.rows() * options.height; ++row) {
    const int64_t first = row / patch * in_row;  // the patch at the left of this row of pixels
    for (int64_t p = first; p < first + in_row; ++p, from += line) {
      std::copy_n(from, line, patches.data() + (p * patch + row % patch) * line);
    }
  }
  return patches;
}

Tensor plane_sinusoids(const VisionOptions& options) {
  const int64_t rows = options.height / options.patch, columns = options.width / options.patch;
  const int64_t half = options.layer.d_model / 2;
  const Tensor table = Tensor::zeros({options.tokens(), 2 * half});
  const Tensor line = sinusoids(PositionKind::halves, std::max(rows, columns), half);
  real* to = table.data() + (options.tokens() - options.patches()) * 2 * half;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      to = std::copy_n(line.data() + row * half, half, to);
      to = std::copy_n(line.data() + column * half, half, to);
    }
  }
  return table;
}

VisionTransformer::VisionTransformer(const Path& at, const VisionOptions& options_)
    : options(validate(options_)),
      patches(at / "patches", options.patch * options.patch * options.channels,
              options.layer.d_model),
      cls(options.head.pooling == Pooling::cls
              ? (at / "cls")
                    .parameter("weight", {1, options.layer.d_model}, Role::position,
                               embedding_normal(options.layer.d_model))
              : Tensor()),
      plane(options.layer.positions == PositionKind::plane ? plane_sinusoids(options) : Tensor()),
      body(at, body_options(options), options.layers),
      head(at.trained() / "classifier", options.layer.d_model, options.head) {}

// Puts the learned token before the tokens of each image.
Tensor VisionTransformer::with_cls(const Tensor& tokens, int64_t images) const {
  const int64_t each = options.patches();
  std::vector<int32_t> rows;
  for (int64_t i = 0; i < images; ++i) {
    rows.push_back(0);
    for (int64_t p = 0; p < each; ++p) rows.push_back(static_cast<int32_t>(1 + i * each + p));
  }
  return gather_rows(concat_rows(std::array{cls, tokens}), rows);
}

Tensor VisionTransformer::pooled(const Tensor& images, Mode mode, AttentionRecord* record) const {
  const std::vector<int32_t> lengths(static_cast<size_t>(images.rows()),
                                     static_cast<int32_t>(options.tokens()));
  const Segments segments = Segments::of_lengths(lengths);
  Tensor x = patches(patches_of(images, options));
  if (cls) x = with_cls(x, images.rows());
  if (plane) x = add_positions(x, plane, segments);
  return head.pooled(body(x, segments, mode, record), segments, mode);
}

}  // namespace calque
