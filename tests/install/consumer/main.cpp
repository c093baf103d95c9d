// Uses headers of the layers core, nn and train, from an installed library.
#include <cstdio>

#include "core/ops.h"
#include "nn/models/transformer.h"
#include "train/config/load.h"

int main() {
  using namespace calque;
  const Config config = parse_config("data: {train: {toy: copy, pairs: 10}}", "text").config;
  Parameters parameters;
  const Transformer model(Path(parameters), {.layer = {.d_model = 8, .d_ff = 16, .heads = 2},
                                             .source_vocabulary = 10,
                                             .target_vocabulary = 10});
  const Tensor x = variable(Tensor::of({2}, {3, 4}));
  const Tape tape;
  backward(sum(square(x)));
  std::printf("%g %d %d\n", double(x.gradient().span()[1]), int(parameters.count() > 0),
              int(config.model.heads));
}
