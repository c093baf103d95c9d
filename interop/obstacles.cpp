#include "interop/obstacles.h"

#include <cmath>

#include "interop/marian/settings.h"
#include "interop/model.h"
#include "train/config/schema.h"

namespace calque {
namespace {

// BERT is post-norm, ViT pre-norm.
void limit_encoder(Obstacles& in, NormPlacement placement) {
  in.add_of_language_models();
  in.add_if(in.model.norm_placement != placement, "model.norm");
  in.add_if(in.model.norm_kind == NormKind::rms, "model.norm_kind");
  in.add_if(gated(in.model.activation), "model.activation");
  in.add_if(in.model.positions == PositionKind::rotary, "model.positions");
  if (in.config.task != TaskKind::masked_lm) {
    in.add_if(in.model.pooling == Pooling::mean, "model.pooling");
  }
}

bool has_epsilon(const ModelConfig& model, double epsilon) {
  return std::abs(double(model.norm_epsilon) - epsilon) <= epsilon / 10'000;
}

// The biases that the layers of a published model can have.
bool has_biases_of(LanguageModelShape shape, BiasedLayers biases) {
  switch (shape) {
    case LanguageModelShape::gpt2:
    case LanguageModelShape::gpt_neox:
      return biases == BiasedLayers::all;
    case LanguageModelShape::llama:
      return biases != BiasedLayers::qkv;
    case LanguageModelShape::mistral:
      return biases == BiasedLayers::none;
    case LanguageModelShape::qwen2:
      return biases == BiasedLayers::qkv;
    case LanguageModelShape::qwen3:
    case LanguageModelShape::gemma3:
      return biases == BiasedLayers::none || biases == BiasedLayers::attention;
  }
  return false;
}

// Mistral has one window; the last of so many layers of Gemma has none.
bool has_window_of(LanguageModelShape shape, const Sparsity& attention) {
  if (attention.window == 0) return shape != LanguageModelShape::mistral;
  const Sparsity plain{.window = attention.window, .full_every = attention.full_every};
  if (attention != plain) return false;
  return shape == LanguageModelShape::gemma3 ||
         (shape == LanguageModelShape::mistral && attention.full_every == 0);
}

bool has_rotation_of(LanguageModelShape shape, const Rotation& rotation) {
  const bool scaled = rotation.scaling.kind != RotationScalingKind::none;
  if (rotation.local_base != 0 && shape != LanguageModelShape::gemma3) return false;
  return is_llama_like(shape) ? rotation.part == 1 : !scaled;
}

}  // namespace

void Obstacles::add_if(bool in_the_way, const std::string& key) {
  if (in_the_way) found_.push_back({key, find_config_key(key)->write(config)});
}

void Obstacles::add_of_every_engine() {
  add_if(model.kind == ModelConfig::Kind::rnn, "model.kind");
  add_if(model.experts.count > 0, "model.experts");
}

void Obstacles::add_of_language_models() {
  add_if(model.attention.window > 0, "model.attention");
  add_if(model.qk_norm, "model.qk_norm");
  add_if(model.key_heads() != model.heads, "model.kv_heads");
  add_if(model.head_width > 0, "model.head_width");
  add_if(model.attention_scale > 0, "model.attention_scale");
  add_if(model.attention_cap > 0, "model.attention_cap");
  add_if(model.output_cap > 0, "model.output_cap");
  add_if(model.biases != BiasedLayers::all, "model.biases");
  add_if(model.norm_placement == NormPlacement::both, "model.norm");
  add_if(model.norm_kind == NormKind::rms_centered, "model.norm_kind");
  add_if(model.rotation != Rotation(), "model.rotation");
}

void Obstacles::add_of_adapters() {
  add_if(!model.adapter, "model.adapter");
  if (config.task != TaskKind::language_model) return;
  const LanguageModelShape shape = shape_of(model);
  add_if(shape == LanguageModelShape::gpt2, "model.positions");
  add_if(shape == LanguageModelShape::gpt_neox, "model.norm_kind");
}

void limit_ctranslate2(Obstacles& in) {
  in.add_of_language_models();
  // A decoder that begins with zeros is read as Marian's, whose sources end in </s>.
  in.add_if(!in.model.source_end && in.model.decoder_start == DecoderStart::zero,
            "model.source_end");
}

// MarianMT is post-norm; Pegasus is the same model with pre-norm, and has one table of embeddings.
// Neither has a setting for epsilon.
void limit_marian_mt(Obstacles& in) {
  const ModelConfig& model = in.model;
  in.add_of_language_models();
  in.add_if(!model.source_end, "model.source_end");
  in.add_if(model.norm_kind == NormKind::rms, "model.norm_kind");
  in.add_if(gated(model.activation), "model.activation");
  in.add_if(model.positions == PositionKind::rotary, "model.positions");
  in.add_if(!has_epsilon(model, 1e-5), "model.norm_epsilon");
  if (in.config.tokenizer.files.empty()) {  // the export itself checks an imported model
    in.add_if(model.decoder_start == DecoderStart::zero, "model.decoder_start");
  }
  if (model.norm_placement == NormPlacement::pre) in.add_if(model.tied != Tying::all, "model.tied");
  in.add_if(!is_sentence_piece(in.config.tokenizer.kind), "tokenizer.kind");
  in.add_if(in.config.data.lowercase, "data.lowercase");
}

// M2M100 computes its positions, which begin with 2, and has no bias of the output.
void limit_m2m100(Obstacles& in) {
  const ModelConfig& model = in.model;
  in.add_if(!in.config.data.multilingual, "data.multilingual");
  limit_marian_mt(in);
  in.add_if(model.norm_placement != NormPlacement::pre, "model.norm");
  in.add_if(model.positions != PositionKind::fairseq, "model.positions");
  in.add_if(model.decoder_start == DecoderStart::zero, "model.decoder_start");
  in.add_if(model.output_bias, "model.output_bias");
  in.add_if(!in.config.tokenizer.joint, "tokenizer.joint");
}

void limit_causal_layers(Obstacles& in) {
  const ModelConfig& model = in.model;
  const LanguageModelShape shape = shape_of(model);
  const bool llama = is_llama_like(shape), gemma = shape == LanguageModelShape::gemma3;
  in.add_if(model.norm_placement != (gemma ? NormPlacement::both : NormPlacement::pre),
            "model.norm");
  in.add_if(model.norm_kind != NormKind::layer && !llama, "model.norm_kind");
  in.add_if(llama ? model.activation != (gemma ? Activation::geglu_tanh : Activation::swiglu)
                  : gated(model.activation),
            "model.activation");
  in.add_if(gemma ? !model.qk_norm : model.qk_norm && shape != LanguageModelShape::qwen3,
            "model.qk_norm");
  in.add_if(!has_window_of(shape, model.attention), "model.attention");
  in.add_if(!llama && model.key_heads() != model.heads, "model.kv_heads");
  in.add_if(!llama && model.head_width > 0, "model.head_width");
  in.add_if(!has_biases_of(shape, model.biases), "model.biases");
  in.add_if(!has_rotation_of(shape, model.rotation), "model.rotation");
  in.add_if(model.attention_scale > 0 && !gemma, "model.attention_scale");
  in.add_if(model.attention_cap > 0, "model.attention_cap");
  in.add_if(model.output_cap > 0 && !gemma, "model.output_cap");
  in.add_if(gemma && !model.scale_embeddings, "model.scale_embeddings");
  in.add_if(gemma && model.tied == Tying::none, "model.tied");
  in.add_if(in.config.data.lowercase, "data.lowercase");
}

void limit_causal_lm(Obstacles& in) {
  limit_causal_layers(in);
  // An imported model may exclude symbols so, which the export itself checks.
  in.add_if(in.model.output_bias && in.config.tokenizer.files.empty(), "model.output_bias");
}

void limit_bert(Obstacles& in) {
  limit_encoder(in, NormPlacement::post);
  if (in.config.task == TaskKind::masked_lm) in.add_if(!in.model.masked_head, "model.masked_head");
  if (in.config.tokenizer.kind != TokenizerKind::word_piece) {
    in.add_if(in.config.data.lowercase, "data.lowercase");
  }
}

void limit_vit(Obstacles& in) { limit_encoder(in, NormPlacement::pre); }

// transformers.js has one tokenizer for both languages, no tokenizer of words or characters, and no
// token before a text.
void limit_onnx(Obstacles& in) {
  in.add_of_language_models();
  in.add_if(in.config.data.multilingual, "data.multilingual");
  in.add_if(!in.model.source_end, "model.source_end");
  in.add_if(!is_sentence_piece(in.config.tokenizer.kind), "tokenizer.kind");
  in.add_if(!in.config.tokenizer.joint, "tokenizer.joint");
  in.add_if(in.config.data.lowercase, "data.lowercase");
}

// Marian's Transformer. Its decoder normalizes the keys and values of pre-norm layers in training
// but not in translation. Its vocabularies are SentencePiece models, or lists of tokens for text
// whose tokens are separated by spaces; neither finds the token of a language in a text.
void limit_marian(Obstacles& in) {
  const ModelConfig& model = in.model;
  in.add_of_language_models();
  in.add_if(in.config.data.multilingual, "data.multilingual");
  in.add_if(model.norm_placement == NormPlacement::pre, "model.norm");
  in.add_if(model.decoder_start != DecoderStart::zero, "model.decoder_start");
  in.add_if(!model.source_end, "model.source_end");
  const bool none = model.positions == PositionKind::none;
  in.add_if(!none && model.positions != PositionKind::t2t, "model.positions");
  in.add_if(none == model.scale_embeddings, "model.scale_embeddings");
  in.add_if(name_of(marian_activations, model.activation).empty(), "model.activation");
  in.add_if(!has_epsilon(model, 1e-6), "model.norm_epsilon");
  const bool words = in.config.tokenizer.kind == TokenizerKind::words;
  in.add_if(!words && !is_sentence_piece(in.config.tokenizer.kind), "tokenizer.kind");
  in.add_if(words && in.config.data.nfkc, "data.nfkc");
  in.add_if(in.config.data.lowercase, "data.lowercase");
}

// llama.cpp has constants for what Gemma's layers with a window have of their own.
void limit_gemma_gguf(Obstacles& in) {
  const ModelConfig& model = in.model;
  const bool window = model.attention.window > 0;
  in.add_if(window && model.attention.full_every != 6, "model.attention");
  in.add_if((window && model.rotation.at_layer(true).base != 10000) ||
                model.rotation.scaling.kind == RotationScalingKind::llama3,
            "model.rotation");
  in.add_if(model.attention_scale > 0, "model.attention_scale");
  in.add_if(model.output_cap > 0, "model.output_cap");
}

// Of llama.cpp's tokenizers, the export uses bytes, byte-level BPE and SentencePiece's BPE.
// llama.cpp does not normalize texts for BPE.
void limit_gguf(Obstacles& in) {
  limit_causal_lm(in);
  const ModelConfig& model = in.model;
  const LanguageModelShape shape = shape_of(model);
  in.add_if(model.activation == Activation::relu || model.activation == Activation::silu,
            "model.activation");
  in.add_if(shape == LanguageModelShape::mistral, "model.attention");
  if (shape == LanguageModelShape::qwen3 || shape == LanguageModelShape::gemma3) {
    in.add_if(model.biases != BiasedLayers::none, "model.biases");
  }
  if (shape == LanguageModelShape::gemma3) limit_gemma_gguf(in);
  const TokenizerConfig& tokenizer = in.config.tokenizer;
  const bool pieces = tokenizer.kind == TokenizerKind::bpe;
  in.add_if(!pieces && tokenizer.kind != TokenizerKind::bytes &&
                tokenizer.kind != TokenizerKind::byte_pairs,
            "tokenizer.kind");
  if (!tokenizer.files.empty()) return;  // the export itself checks the files
  in.add_if(pieces && !tokenizer.byte_fallback, "tokenizer.byte_fallback");
  in.add_if(pieces && in.config.data.nfkc, "data.nfkc");
}

}  // namespace calque
