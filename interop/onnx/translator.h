#pragma once
// The two graphs of a translator. Sizes that vary are named batch_size, encoder_sequence_length,
// decoder_sequence_length and past_decoder_sequence_length.

#include <string>

#include "nn/models/transformer.h"

namespace calque {

// input_ids, attention_mask [batch, length] -> last_hidden_state [batch, length, d_model] and
// encoder_attentions.I. `positions` is the number of positions for which sinusoids
// or rotations are stored.
std::string onnx_encoder(const Transformer& model, int64_t positions);

// input_ids [batch, new], encoder_hidden_states, encoder_attention_mask and the cache
// past_key_values.I.decoder.{key,value} [batch, heads, past, head size] -> logits
// [batch, new, vocabulary], the longer cache present.I.decoder.{key,value}, decoder_attentions.I
// and cross_attentions.I.
std::string onnx_decoder(const Transformer& model, int64_t positions);

}  // namespace calque
