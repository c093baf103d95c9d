// Whether bfloat16 pays, and what the log says if it does not.
#include "train/step/bfloat16_gain.h"

#include <doctest/doctest.h>

#include <cmath>

#include "train/pair_work.h"
#include "train/tasks/task_model.h"

using namespace calque;

TEST_CASE("the log has a line about bfloat16 only where it is slower") {
  CHECK(bfloat16_note(1.0).empty());
  CHECK(bfloat16_note(2.5).empty());
  CHECK(bfloat16_note(0.5) ==
        "training.precision: bfloat16 does not pay on this machine: its products take 2.0 times as "
        "long as those in float32");
}

#ifndef CALQUE_DOUBLE
TEST_CASE("the gain of bfloat16 is measured for a micro-batch of any size") {
  const TransformerOptions options{.layer = {.d_model = 32, .d_ff = 64, .heads = 2},
                                   .source_vocabulary = 10,
                                   .target_vocabulary = 10,
                                   .encoder_layers = 1,
                                   .decoder_layers = 1};
  TaskModel<Transformer> network(options);
  network.parameters.initialise(1);
  for (const size_t pairs : {1, 40}) {
    CAPTURE(pairs);
    const std::vector<Example> examples(pairs, Example{{3, 4, 5}, {6, 7}});
    const auto work = tests::pair_work(network.model, {}, examples);
    for (const int64_t slices : {1, 8}) {
      const double gain = bfloat16_gain(*work, slices);
      CHECK(std::isfinite(gain));
      CHECK(gain > 0.0);
    }
  }
}
#endif
