// The gradient of the whole model against finite differences, in the double build (a float has too
// few digits for it).

#include <doctest/doctest.h>

#include "nn/models/classification_head.h"
#include "nn/models/encoder.h"
#include "nn/models/vision.h"
#include "nn/models/word2vec.h"
#include "nn/small_language_model.h"
#include "nn/small_model.h"
#include "support/gradient_check.h"
#include "support/worse.h"

#ifdef CALQUE_DOUBLE

#include <algorithm>
#include <cmath>

using namespace calque;

namespace {

const Tape::Randomness randomness{.seed = 5, .step = 3};

// d loss / d x by a five-point stencil: the error falls with the fourth power of h.
template <class Loss>
double slope(real& x, double h, Loss&& loss) {
  const real original = x;
  const auto at = [&](double step) {
    x = original + step;
    return loss();
  };
  const double result = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  x = original;
  return result;
}

// The difference from the gradient, relative to `scale`. A stencil across the kink of a ReLU is
// invalid, so smaller steps are tried too; a wrong gradient fails with all of them.
template <class Loss>
double error_at(real& x, double found, double scale, Loss&& loss) {
  double error = 1;
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    error = std::min(error, std::abs(slope(x, h, loss) - found) / scale);
    if (error < 1e-7) break;
  }
  return error;
}

// The largest error of the gradient of pass(), a loss, among a few elements of every parameter.
template <class Pass>
double largest_error(const Parameters& parameters, Pass&& pass) {
  constexpr int64_t elements = 12;
  const auto loss = [&]() -> double {
    const Tape tape(randomness);  // so that dropout is the same every time
    const double own = pass().item();
    return own + tape.added_loss();
  };
  {
    const Tape tape(randomness);
    backward(pass());
  }
  Random random({.seed = 9});
  double largest = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::span<const real> found = entry.tensor.gradient().span();
    double scale = 0;
    for (const real g : found) scale = std::max(scale, std::abs(g));
    REQUIRE_MESSAGE(scale > 0, entry.name);
    for (int64_t n = 0; n < elements; ++n) {
      const uint64_t i = random.below(found.size());
      largest = worse(largest, error_at(entry.values()[i], found[i], scale, loss));
    }
  }
  return largest;
}

double largest_error(const Variant& variant) {
  const SmallModel model(variant.options);
  const SmallBatch batch = random_batch(variant.options, {{3, 2}, {1, 4}, {0, 1}, {4, 1}, {2, 0}});
  return largest_error(model.parameters, [&] {
    return loss_of(model.transformer, batch, real(0.1), Mode::train).loss;
  });
}

double largest_error(const RecurrentOptions& options) {
  const SmallRecurrent small(options);
  const SmallBatch batch = random_batch(small_options(), {{3, 2}, {1, 4}, {4, 1}, {2, 0}, {5, 3}});
  return largest_error(small.parameters,
                       [&] { return loss_of(small.model, batch, real(0.1), Mode::train).loss; });
}

double largest_error(const LanguageModelVariant& variant, real agreement = 0) {
  const SmallLanguageModel small(variant.options);
  const TextBatch batch = random_text(variant.options, {3, 1, 0, 5});
  return largest_error(small.parameters, [&] {
    return small.model
        .loss(batch.ids, batch.expected, batch.segments, real(0.1), Mode::train, agreement)
        .loss;
  });
}

const std::vector<int32_t> encoder_ids = {1, 4, 7, 1, 3, 10, 5, 5, 2};
const Segments encoder_segments = Segments::of_lengths(std::vector<int32_t>{3, 1, 5});

EncoderOptions small_encoder_options(NormPlacement placement) {
  EncoderOptions options;
  options.layer = small_language_model_options().layer;
  options.layer.norm_placement = placement;
  options.vocabulary = 11;
  options.layers = 2;
  return options;
}

double largest_error(const MaskedLmOptions& options, real agreement = 0) {
  Parameters parameters;
  const MaskedLm model(Path(parameters), options);
  initialise_with_noise(parameters, 1);
  const std::vector<int32_t> rows = {1, 3, 4, 7}, expected = {6, 1, 0, 9};
  return largest_error(parameters, [&] {
    return model
        .loss(encoder_ids, encoder_segments, rows, expected, real(0.1), Mode::train, agreement)
        .loss;
  });
}

double largest_error(const ClassifierOptions& options, const std::vector<real>& class_weights,
                     real agreement = 0) {
  Parameters parameters;
  const Classifier model(Path(parameters), options);
  initialise_with_noise(parameters, 1);
  const std::vector<int32_t> kinds = {0, 0, 1, 0, 0, 0, 1, 1, 1}, expected = {2, 0, 1};
  return largest_error(parameters, [&] {
    const auto pass = [&] {
      return model.pooled(encoder_ids, kinds, encoder_segments, Mode::train);
    };
    return model.head.loss(pass, expected, class_weights, real(0.1), agreement).loss;
  });
}

double largest_error(const VisionOptions& options, real agreement = 0) {
  Parameters parameters;
  const VisionTransformer model(Path(parameters), options);
  initialise_with_noise(parameters, 1);
  const Tensor images = random_tensor({3, options.pixels()}, 2);
  const std::vector<int32_t> expected = {2, 0, 1};
  return largest_error(parameters, [&] {
    const auto pass = [&] { return model.pooled(images, Mode::train); };
    return model.head.loss(pass, expected, {}, real(0.1), agreement).loss;
  });
}

}  // namespace

TEST_CASE("the gradient of every variant's loss agrees with finite differences") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    CHECK(largest_error(variant) < 1e-6);
  }
}

TEST_CASE(
    "the gradient of a model whose decoder starts from zeros agrees with finite differences") {
  for (const auto& tying : tyings) {
    CAPTURE(tying.name);
    TransformerOptions options = small_options();
    options.tying = tying.choice;
    options.decoder_start = DecoderStart::zero;
    CHECK(largest_error(Variant{"from zeros", options}) < 1e-6);
  }
  RecurrentOptions options = small_recurrent_options();
  options.decoder_start = DecoderStart::zero;
  CHECK(largest_error(options) < 1e-6);
}

TEST_CASE("with every kind of dropout the gradient agrees with finite differences") {
  for (Variant variant : {variants().front(), variants().back()}) {
    CAPTURE(variant.name);
    variant.options.layer.dropout = 0.3;
    variant.options.layer.attention_dropout = 0.2;
    variant.options.layer.activation_dropout = 0.25;
    CHECK(largest_error(variant) < 1e-6);
    variant.options.layer.norm_placement = NormPlacement::pre;
    CHECK(largest_error(variant) < 1e-6);
  }
}

TEST_CASE("the gradient of every recurrent translator agrees with finite differences") {
  for (const auto& cell : cell_kinds) {
    for (const auto& score : score_kinds) {
      CAPTURE(cell.name);
      CAPTURE(score.name);
      RecurrentOptions options = small_recurrent_options();
      options.encoder_layers = 2;
      options.cell = cell.choice;
      options.score = score.choice;
      CHECK(largest_error(options) < 1e-6);
      options.dropout = 0.3;
      CHECK(largest_error(options) < 1e-6);
    }
  }
}

TEST_CASE("the gradient of every decoder-only variant's loss agrees with finite differences") {
  for (const LanguageModelVariant& variant : language_model_variants()) {
    CAPTURE(variant.name);
    CHECK(largest_error(variant) < 1e-6);
  }
}

TEST_CASE("with dropout the gradient of a decoder-only model is right in one pass and in two") {
  LanguageModelVariant variant = language_model_variants().front();
  variant.options.layer.dropout = 0.3;
  variant.options.layer.attention_dropout = 0.2;
  variant.options.layer.activation_dropout = 0.25;
  CHECK(largest_error(variant) < 1e-6);
  CHECK(largest_error(variant, 0.7) < 1e-6);
}

TEST_CASE(
    "the gradient of adapters agrees with finite differences, in every decoder-only variant") {
  for (LanguageModelVariant variant : language_model_variants()) {
    CAPTURE(variant.name);
    variant.options.layer.adapter = {.kind = AdapterKind::lora, .rank = 3, .dropout = 0.2};
    Parameters base, trained;
    const LanguageModel model(Path(base, trained), variant.options);
    initialise_with_noise(base, 1);
    initialise_with_noise(trained, 2);
    base.freeze_all();
    const TextBatch batch = random_text(variant.options, {9, 1, 0, 13, 8});
    CHECK(largest_error(trained, [&] {
            return model.loss(batch.ids, batch.expected, batch.segments, real(0.1), Mode::train, 0)
                .loss;
          }) < 1e-6);
  }
}

TEST_CASE("the gradient of a masked language model agrees with finite differences") {
  for (const auto& placement : norm_placements) {
    for (const bool plain : {true, false}) {
      CAPTURE(placement.name);
      CAPTURE(plain);
      MaskedLmOptions options{
          .encoder = small_encoder_options(placement.choice), .tied = !plain, .transform = !plain};
      CHECK(largest_error(options) < 1e-6);
      options.encoder.layer.dropout = 0.3;
      CHECK(largest_error(options) < 1e-6);
      CHECK(largest_error(options, 0.7) < 1e-6);
    }
  }
}

TEST_CASE("the gradient of a classifier agrees with finite differences, with class weights too") {
  for (const auto& placement : norm_placements) {
    for (const auto& pooling : poolings) {
      CAPTURE(placement.name);
      CAPTURE(pooling.name);
      ClassifierOptions options{
          .encoder = small_encoder_options(placement.choice),
          .head = {.classes = 3, .pooling = pooling.choice, .dropout = real(0.2)}};
      options.encoder.segment_kinds = 2;
      options.encoder.layer.dropout = 0.3;
      CHECK(largest_error(options, {}) < 1e-6);
      CHECK(largest_error(options, {real(0.5), 2, 1}) < 1e-6);
      CHECK(largest_error(options, {}, 0.7) < 1e-6);
    }
  }
}

TEST_CASE("the gradient of a tagger agrees with finite differences, with two losses of one token") {
  Parameters parameters;
  const Classifier model(Path(parameters),
                         {.encoder = small_encoder_options(NormPlacement::post),
                          .head = {.classes = 3, .dense = false, .dropout = real(0.2)}});
  initialise_with_noise(parameters, 1);
  const std::vector<int32_t> rows = {1, 2, 2, 5}, expected = {2, 0, 1, 1};
  const auto pass = [&] {
    return model.of_tokens(encoder_ids, encoder_segments, rows, Mode::train);
  };
  CHECK(largest_error(parameters, [&] {
          return model.head.loss(pass, expected, {}, real(0.1), 0).loss;
        }) < 1e-6);
}

TEST_CASE("the gradient of word2vec agrees with finite differences, for one word and for several") {
  const std::vector<int32_t> candidates = {4, 5, 1, 1, 10, 3, 0, 4, 9};
  for (const std::vector<int32_t>& lengths : {std::vector{1, 1, 1}, std::vector{3, 1, 5}}) {
    const Segments segments = Segments::of_lengths(lengths);
    Parameters parameters;
    const Word2Vec model(Path(parameters), {.vocabulary = 11, .d_model = 6});
    initialise_with_noise(parameters, 1);
    CHECK(largest_error(parameters, [&] {
            const auto ids = std::span(encoder_ids).first(static_cast<size_t>(segments.tokens()));
            return model.loss(ids, segments, candidates).loss;
          }) < 1e-6);
  }
}

TEST_CASE("the gradient of a Vision Transformer agrees with finite differences") {
  for (const auto& pooling : poolings) {
    for (const PositionKind positions : {PositionKind::learned, PositionKind::plane}) {
      CAPTURE(pooling.name);
      VisionOptions options{
          .layer = small_encoder_options(NormPlacement::pre).layer,
          .layers = 2,
          .height = 4,
          .width = 6,
          .channels = 3,
          .patch = 2,
          .head = {.classes = 3, .pooling = pooling.choice, .dense = false, .dropout = real(0.2)}};
      options.layer.positions = positions;
      CHECK(largest_error(options) < 1e-6);
      options.layer.dropout = 0.3;
      CHECK(largest_error(options, 0.7) < 1e-6);
    }
  }
}

#endif
