// The second program of docs/library.md, between the two marks: a Transformer learns two sentences.

#include <doctest/doctest.h>

// [example]
#include <fmt/format.h>

#include "core/parameter_table.h"
#include "nn/models/transformer.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

using namespace calque;

// Two pairs of sentences as token ids, one after the other. 1 begins a sentence, 2 ends it.
const std::vector<int32_t> source = {11, 12, 13, 2, 21, 22, 2};
const std::vector<int32_t> decoder_input = {1, 31, 32, 1, 41, 42, 43};
const std::vector<int32_t> expected = {31, 32, 2, 41, 42, 43, 2};
const Segments source_segments = Segments::of_lengths(std::vector{4, 3});
const Segments target_segments = Segments::of_lengths(std::vector{3, 4});

double train() {
  TransformerOptions options;  // the paper's base model, made small
  options.source_vocabulary = options.target_vocabulary = 50;
  options.layer.d_model = 32;
  options.layer.d_ff = 64;
  options.layer.heads = 4;
  options.encoder_layers = options.decoder_layers = 2;

  Parameters parameters;
  const Transformer model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(/*seed=*/1);
  fmt::print("{}", parameter_table(parameters));

  const Noam schedule{.factor = 1, .d_model = options.layer.d_model, .warmup_steps = 100};
  Optimizer optimizer(parameters, AdamSettings{}, /*clip_norm=*/1);
  double nll = 0;
  for (uint32_t step = 1; step <= 100; ++step) {
    const Tape tape({.seed = 1, .step = step});
    parameters.clear_gradients();
    const TokenLoss loss = model.loss(source, source_segments, decoder_input, expected,
                                      target_segments, /*label_smoothing=*/0.1f, Mode::train);
    backward(loss.loss);
    optimizer.update(parameters, learning_rate(schedule, step), 1.0 / double(loss.tokens));
    nll = loss.nll / double(loss.tokens);
    if (step % 20 == 1) fmt::print("step {:3}: {:.3f} nats per token\n", step, nll);
  }
  return nll;
}
// [example]

TEST_CASE("the program of docs/library.md learns its two sentences") { CHECK(train() < 0.5); }
