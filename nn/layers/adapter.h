#pragma once
// A low-rank adapter (Hu et al. 2021: LoRA). The weights W of a linear layer are frozen, and the
// product of two thin matrices, which is trained, is added to them:
//
//   y = x W + b + alpha / r dropout(x) A B,  A [in, r], B [r, out]
//
// B starts at 0, so the model starts as its base. A starts uniform within 1 / sqrt(in), as in PEFT.
// Where W consists of several matrices side by side (queries, keys, values), each has an A and a B
// of its own, as if it were a layer of its own.
//
// Parameters: lora_a [in, parts r] and lora_b.0, lora_b.1, ..., one of [r, columns] for each part.
// Dropout is on wherever a tape records.

#include <cmath>
#include <initializer_list>
#include <vector>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"
#include "nn/options.h"

namespace calque {

struct Adapter {
  Tensor a;
  std::vector<Tensor> b;
  real scale, dropout;

  Adapter(const Path& layer, int64_t in, const std::vector<int64_t>& widths,
          const AdapterOptions& options)
      : scale(options.alpha / static_cast<real>(options.rank)), dropout(options.dropout) {
    const Path at = layer.trained();
    a = at.parameter("lora_a", {in, std::ssize(widths) * options.rank}, Role::weight,
                     uniform(static_cast<real>(1 / std::sqrt(static_cast<double>(in)))));
    for (const int64_t columns : widths) {
      b.push_back(
          (at / "lora_b")
              .parameter(std::to_string(b.size()), {options.rank, columns}, Role::weight, zeros()));
    }
  }

  // activation(x weight + bias + the correction)
  Tensor operator()(const Tensor& x, const Tensor& weight, const Tensor& bias,
                    Activation activation) const {
    return adapted_linear(x, weight, bias, a, b, scale, dropout, activation);
  }
};

}  // namespace calque
