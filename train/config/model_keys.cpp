// The section `model`.
#include "train/config/preset.h"
#include "train/config/schema.h"

namespace calque {

void declare_model_keys(std::vector<ConfigKey>& table) {
  Section in(
      "model.", [](auto& config) -> auto& { return config.model; }, table);
  using enum OnResume;
  constexpr Range layers = between(1, 1000);
  in.key("preset", &ModelConfig::preset, {}, harmless,
         "Sets d_model, d_ff, heads, encoder_layers, decoder_layers and dropout together; keys "
         "beside it come before it. tiny: 128, 256, 4, 4, 4, 0.3; small: 256, 1024, 4, 3, 3, 0.3; "
         "base: 512, 2048, 8, 6, 6, 0.1; big: 1024, 4096, 16, 6, 6, 0.3.",
         {{fairseq, "arch"}, {marian, "task"}})
      .read = [](const YamlValue& from, Config& to) {
    read_value(from, "model.preset", {}, to.model.preset);
    apply_preset(to.model);
  };
  in.key("d_model", &ModelConfig::d_model, between(1, 65536), harmful,
         "Width of the embeddings and of every sublayer's output.",
         {{marian, "dim-emb"},
          {joey, "hidden_size"},
          {joey, "embedding_dim"},
          {opennmt, "hidden_size"},
          {opennmt, "word_vec_size"},
          {opennmt, "rnn_size"},
          {fairseq, "encoder-embed-dim"},
          {fairseq, "decoder-embed-dim"},
          {sockeye, "transformer-model-size"}});
  in.key("d_ff", &ModelConfig::d_ff, between(1, 1048576), harmful,
         "Width of the feed-forward sublayers' inner layer.",
         {{marian, "transformer-dim-ffn"},
          {joey, "ff_size"},
          {opennmt, "transformer_ff"},
          {fairseq, "encoder-ffn-embed-dim"},
          {fairseq, "decoder-ffn-embed-dim"},
          {sockeye, "transformer-feed-forward-num-hidden"}});
  in.key("heads", &ModelConfig::heads, between(1, 1024), harmful,
         "Attention heads; must divide d_model.",
         {{marian, "transformer-heads"},
          {joey, "num_heads"},
          {opennmt, "heads"},
          {fairseq, "encoder-attention-heads"},
          {fairseq, "decoder-attention-heads"},
          {sockeye, "transformer-attention-heads"}});
  in.key("layers", &ModelConfig::layers, layers, harmful, "Layers of a decoder-only model.",
         {{"nanoGPT", "n_layer"}})
      .idle_if(no_language_model, with_language_model);
  in.key("encoder_layers", &ModelConfig::encoder_layers, layers, harmful, "Layers of the encoder.",
         {{marian, "enc-depth"},
          {joey, "encoder.num_layers"},
          {opennmt, "enc_layers"},
          {opennmt, "layers"},
          {fairseq, "encoder-layers"},
          {sockeye, "num-layers"}})
      .idle_if(no_translation, with_translation);
  in.key("decoder_layers", &ModelConfig::decoder_layers, layers, harmful, "Layers of the decoder.",
         {{marian, "dec-depth"},
          {joey, "decoder.num_layers"},
          {opennmt, "dec_layers"},
          {fairseq, "decoder-layers"}})
      .idle_if(no_translation, with_translation);
  in.key("norm", &ModelConfig::norm, {}, harmful,
         "Where the norms stand: after each residual addition (post, the paper) or before each "
         "sublayer with a final one at the end (pre, easier to train deep).",
         {{marian, "transformer-preprocess"},
          {marian, "transformer-postprocess"},
          {joey, "layer_norm"},
          {fairseq, "encoder-normalize-before"},
          {sockeye, "transformer-preprocess"}});
  in.key("norm_kind", &ModelConfig::norm_kind, {}, harmful,
         "LayerNorm, or RMSNorm, which neither subtracts the mean nor has a bias.");
  in.key("norm_epsilon", &ModelConfig::norm_epsilon, between(1e-12, 0.1), harmful,
         "Added to the variance inside the norms.");
  in.key(
      "activation", &ModelConfig::activation, {}, harmful,
      "Of the feed-forward sublayers. swiglu has a third matrix: take two thirds of d_ff for equal "
      "size.",
      {{marian, "transformer-ffn-activation"},
       {joey, "activation"},
       {opennmt, "pos_ffn_activation_fn"},
       {fairseq, "activation-fn"},
       {sockeye, "transformer-activation-type"}});
  in.key(
      "positions", &ModelConfig::positions, {}, harmful,
      "How a token knows its place: sinusoids with sine and cosine in turns (interleaved, the "
      "paper), all sines then all cosines (halves; as Hugging Face's Marian and Sockeye), the same "
      "with tensor2tensor's frequencies (t2t; as Marian), learned, rotary, or not at all.",
      {{opennmt, "position_encoding"},
       {fairseq, "encoder-learned-pos"},
       {marian, "transformer-train-positions"},
       {sockeye, "transformer-positional-embedding-type"}});
  in.key("max_positions", &ModelConfig::max_positions, between(1, 1'000'000), harmful,
         "How many places a learned table has; no sentence may be longer.",
         {{fairseq, "max-target-positions"}})
      .idle_if([](const Config& c) { return c.model.positions != ModelConfig::Positions::learned; },
               "only positions: learned has a table that ends")
      .idle_if(no_translation, "data.context says how many a language model has");
  in.key("tied", &ModelConfig::tied, {}, harmful,
         "Which matrices are one: source embeddings, target embeddings and output projection (all, "
         "the paper), the last two (target), or none.",
         {{marian, "tied-embeddings-all"},
          {marian, "tied-embeddings"},
          {joey, "tied_embeddings"},
          {joey, "tied_softmax"},
          {opennmt, "share_embeddings"},
          {opennmt, "share_decoder_embeddings"},
          {fairseq, "share-all-embeddings"},
          {fairseq, "share-decoder-input-output-embed"},
          {sockeye, "weight-tying-type"}});
  in.key("output_bias", &ModelConfig::output_bias, {}, harmful,
         "Adds a bias to the output projection, as Marian does.");
  in.key("dropout", &ModelConfig::dropout, dropped(), harmful,
         "At the paper's places: each sublayer's output before it is added, and the sums of "
         "embeddings and positions.",
         {{marian, "transformer-dropout"},
          {joey, "dropout"},
          {opennmt, "dropout"},
          {fairseq, "dropout"},
          {sockeye, "transformer-dropout-prepost"}});
  in.key("attention_dropout", &ModelConfig::attention_dropout, dropped(), harmful,
         "Of the attention weights.",
         {{marian, "transformer-dropout-attention"},
          {opennmt, "attention_dropout"},
          {fairseq, "attention-dropout"},
          {sockeye, "transformer-dropout-attention"}});
  in.key("activation_dropout", &ModelConfig::activation_dropout, dropped(), harmful,
         "Of the feed-forward sublayers' inner layer.",
         {{marian, "transformer-dropout-ffn"},
          {fairseq, "activation-dropout"},
          {fairseq, "relu-dropout"},
          {sockeye, "transformer-dropout-act"}});
  in.key("init_from", &ModelConfig::init_from, {}, harmful,
         "A checkpoint or run folder whose weights to start from where name and shape match, for "
         "fine-tuning; its pieces must be this run's: tokenizer.files: RUN/tokenizer.model. Empty: "
         "random weights.",
         {{marian, "pretrained-model"},
          {joey, "load_model"},
          {opennmt, "train_from"},
          {fairseq, "finetune-from-model"},
          {fairseq, "restore-file"},
          {sockeye, "params"}});
}

}  // namespace calque
