#pragma once
// The activations of a feed-forward network and of linear(). swiglu is gated: the first half of a
// row is the gate of the second half (Shazeer 2020), so the result has half as many columns.

#include "core/named.h"

namespace calque {

enum class Activation { none, relu, gelu, gelu_tanh, silu, swiglu };

constexpr bool gated(Activation activation) { return activation == Activation::swiglu; }

// The names in configurations and messages. `none` has no name there.
inline constexpr Named<Activation> activations[] = {{"relu", Activation::relu},
                                                    {"gelu", Activation::gelu},
                                                    {"gelu-tanh", Activation::gelu_tanh},
                                                    {"silu", Activation::silu},
                                                    {"swiglu", Activation::swiglu}};

}  // namespace calque
