#pragma once
// The activations of a feed-forward network and of linear(). swiglu and geglu are gated: the first
// half of a row is the gate of the second half (Shazeer 2020), so the result has half as many
// columns.

#include "core/named.h"

namespace calque {

enum class Activation { none, relu, gelu, gelu_tanh, silu, swiglu, geglu, geglu_tanh };

constexpr bool gated(Activation activation) {
  return activation == Activation::swiglu || activation == Activation::geglu ||
         activation == Activation::geglu_tanh;
}

// The activation of the gate.
constexpr Activation gate_of(Activation activation) {
  switch (activation) {
    case Activation::swiglu:
      return Activation::silu;
    case Activation::geglu:
      return Activation::gelu;
    case Activation::geglu_tanh:
      return Activation::gelu_tanh;
    default:
      return Activation::none;
  }
}

// The names in configurations and messages. `none` has no name there.
inline constexpr Named<Activation> activations[] = {{"relu", Activation::relu},
                                                    {"gelu", Activation::gelu},
                                                    {"gelu-tanh", Activation::gelu_tanh},
                                                    {"silu", Activation::silu},
                                                    {"swiglu", Activation::swiglu},
                                                    {"geglu", Activation::geglu},
                                                    {"geglu-tanh", Activation::geglu_tanh}};

}  // namespace calque
