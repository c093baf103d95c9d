#pragma once
// A decoder-only model small enough to check number by number, and texts for it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "nn/models/language_model.h"

namespace calque {

// d_model 8, 2 heads, d_ff 12, 2 layers, a vocabulary of 11, learned positions, gelu, no dropout.
LanguageModelOptions small_language_model_options();

// Both norm placements with learned, rotary and sinusoidal positions, tied and untied, with swiglu
// and RMS norm if rotary; and mixtures of experts, sparse and dilated attention, and qk norm.
struct LanguageModelVariant {
  std::string name;
  LanguageModelOptions options;
};
std::vector<LanguageModelVariant> language_model_variants();

struct SmallLanguageModel {
  Parameters parameters;
  LanguageModel model;

  // Biases and gains differ from their initial values 0 and 1.
  explicit SmallLanguageModel(const LanguageModelOptions& options, uint64_t seed = 1);
};

struct TextBatch {
  std::vector<int32_t> ids, expected;
  Segments segments;
};

// Random texts of these lengths.
TextBatch random_text(const LanguageModelOptions& options, const std::vector<int32_t>& lengths,
                      uint64_t seed = 2);

}  // namespace calque
