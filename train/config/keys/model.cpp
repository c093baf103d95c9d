// The section `model`.
#include <algorithm>
#include <span>

#include "train/config/presets.h"
#include "train/config/schema.h"

namespace calque {
namespace {

constexpr std::string_view transformer_keys[] = {"d_ff",
                                                 "heads",
                                                 "kv_heads",
                                                 "head_width",
                                                 "decoder_layers",
                                                 "norm",
                                                 "norm_kind",
                                                 "norm_epsilon",
                                                 "activation",
                                                 "experts",
                                                 "attention",
                                                 "adapter",
                                                 "qk_norm",
                                                 "attention_scale",
                                                 "attention_cap",
                                                 "biases",
                                                 "rotation",
                                                 "scale_embeddings",
                                                 "positions",
                                                 "max_positions",
                                                 "attention_dropout",
                                                 "activation_dropout"};
// The keys that tasks without layers use too.
constexpr std::string_view keys_of_all[] = {"d_model", "predict", "init_from", "embeddings"};

}  // namespace

void declare_model_keys(std::vector<ConfigKey>& table) {
  Section in(
      "model.", [](auto& config) -> auto& { return config.model; }, table);
  const size_t first = table.size();
  using enum OnResume;
  using M = ModelConfig;
  const auto no_rnn = [](const Config& c) { return !is_rnn(c); };
  constexpr std::string_view with_rnn = "needs model.kind: rnn";
  constexpr Range layers = between(1, 1000);
  in.key("preset", &M::preset, presets, harmless,
         "Sets the size of the model: d_model, d_ff, heads, the number of layers and dropout. "
         "tiny: 128, 256, 4, 4, 0.3; small: 256, 1024, 4, 3, 0.3; base: 512, 2048, 8, 6, 0.1; big: "
         "1024, 4096, 16, 6, 0.3. Other keys of the section override it.",
         "fairseq: arch; Marian: task")
      .read = [](const YamlValue& from, Config& to) {
    Choices(presets).read(from, "model.preset", to.model.preset);
    apply_preset(to.model);
  };
  in.key("kind", &M::kind, model_kinds, harmful,
         "The model of a translator: a Transformer, or a bidirectional recurrent encoder and a "
         "recurrent decoder with attention (rnn). rnn sets encoder_layers to 1 and "
         "training.optimizer to adam, which other keys override.",
         "Marian: type; OpenNMT-py: encoder_type, decoder_type")
      .needs(Feature::pairs)
      .read = [](const YamlValue& from, Config& to) {
    Choices(model_kinds).read(from, "model.kind", to.model.kind);
    if (to.model.kind != M::Kind::rnn) return;
    to.model.encoder_layers = 1;
    to.training.optimizer = TrainingConfig::Optimizer::adam;
  };
  in.key("cell", &M::cell, cell_kinds, harmful,
         "The step of a recurrent network: a gated recurrent unit (gru), or long short-term memory "
         "(lstm).",
         "Marian: enc-cell, dec-cell; OpenNMT-py: rnn_type")
      .idle_if(no_rnn, with_rnn);
  in.key("attention_score", &M::attention_score, score_kinds, harmful,
         "How a recurrent decoder compares its state s with each state h of the encoder: v tanh(W "
         "s + U h) (additive, Bahdanau et al. 2015), s h (dot) or s W h (general, Luong et al. "
         "2015). With none it reads only the last states of the encoder.",
         "OpenNMT-py: global_attention")
      .idle_if(no_rnn, with_rnn);
  in.key("hidden", &M::hidden, at_least(0), harmful,
         "The width of the states of a recurrent model, in each direction. 0: d_model.",
         "Marian: dim-rnn; OpenNMT-py: rnn_size")
      .idle_if(no_rnn, with_rnn);
  in.key("d_model", &M::d_model, between(1, 65536), harmful,
         "The width of the embeddings and of every sublayer's output.",
         "Marian: dim-emb; Joey NMT: hidden_size, embedding_dim; OpenNMT-py: hidden_size, "
         "word_vec_size, rnn_size; fairseq: encoder-embed-dim, decoder-embed-dim; Sockeye: "
         "transformer-model-size");
  in.key(
      "d_ff", &M::d_ff, between(1, 1048576), harmful,
      "The width inside the feed-forward sublayers.",
      "Marian: transformer-dim-ffn; Joey NMT: ff_size; OpenNMT-py: transformer_ff; fairseq: "
      "encoder-ffn-embed-dim, decoder-ffn-embed-dim; Sockeye: transformer-feed-forward-num-hidden");
  in.key("heads", &M::heads, between(1, 1024), harmful,
         "The number of attention heads. It must divide d_model, unless head_width is set.",
         "Marian: transformer-heads; Joey NMT: num_heads; OpenNMT-py: heads; fairseq: "
         "encoder-attention-heads, decoder-attention-heads; Sockeye: transformer-attention-heads");
  in.key("kv_heads", &M::kv_heads, between(0, 1024), harmful,
         "The number of heads of keys and values, each of which several heads of queries share. "
         "Fewer heads make decoding faster and its cache smaller. It must divide heads. 0: heads.",
         "Hugging Face: num_key_value_heads");
  in.key("head_width", &M::head_width, between(0, 65536), harmful,
         "The numbers of each head. 0: d_model / heads.", "Hugging Face: head_dim");
  in.key("layers", &M::layers, layers, harmful,
         "The number of layers of a decoder-only or encoder-only model.", "nanoGPT: n_layer")
      .needs(Feature::one_stack);
  in.key("encoder_layers", &M::encoder_layers, layers, harmful,
         "The number of layers of the encoder.",
         "Marian: enc-depth; Joey NMT: encoder.num_layers; OpenNMT-py: enc_layers, layers; "
         "fairseq: encoder-layers; Sockeye: num-layers")
      .needs(Feature::pairs);
  in.key("decoder_layers", &M::decoder_layers, layers, harmful,
         "The number of layers of the decoder.",
         "Marian: dec-depth; Joey NMT: decoder.num_layers; OpenNMT-py: dec_layers; fairseq: "
         "decoder-layers")
      .needs(Feature::pairs);
  in.key("norm", &M::norm_placement, norm_placements, harmful,
         "Where the normalization layers are: after each residual addition (post, as in the "
         "paper), before each sublayer and once at the end (pre, which trains more easily with "
         "many layers), or before and after each sublayer and once at the end (both, as in Gemma).",
         "Marian: transformer-preprocess, transformer-postprocess; Joey NMT: layer_norm; fairseq: "
         "encoder-normalize-before; Sockeye: transformer-preprocess");
  in.key("norm_kind", &M::norm_kind, norm_kinds, harmful,
         "LayerNorm (layer), or RMSNorm (rms), which neither subtracts the mean nor has a bias. "
         "rms-centered is RMSNorm whose parameter is the gain minus 1, as in Gemma.");
  in.key("norm_epsilon", &M::norm_epsilon, between(1e-12, 0.1), harmful,
         "Added to the variance in the normalization.");
  in.key("activation", &M::activation, activations, harmful,
         "The activation of the feed-forward sublayers. gelu-tanh is the approximation that GPT-2 "
         "uses. swiglu, geglu and geglu-tanh are gated by silu, gelu and gelu-tanh; they have a "
         "third weight matrix. To keep the number of parameters, set d_ff to two thirds of its "
         "value.",
         "Marian: transformer-ffn-activation; Joey NMT: activation; OpenNMT-py: "
         "pos_ffn_activation_fn; fairseq: activation-fn; Sockeye: transformer-activation-type");
  in.key("experts", &M::experts, {}, harmful,
         "A mixture of experts in place of each feed-forward sublayer: each token goes through a "
         "few of many networks. The keys are below.",
         "Hugging Face: num_local_experts, num_experts_per_tok");
  in.key("attention", &M::attention, {}, harmful,
         "Sparse self-attention: each token sees a window around itself, the global tokens at the "
         "start and a few random blocks, so that the work grows linearly with the length. The keys "
         "are below.",
         "Hugging Face: sliding_window, attention_window, num_random_blocks");
  in.key(
      "qk_norm", &M::qk_norm, {}, harmful,
      "Normalises the queries and keys of each head (RMSNorm with a gain), which keeps attention "
      "stable at high learning rates.",
      "Hugging Face: use_qk_norm");
  in.key("attention_scale", &M::attention_scale, at_least(0), harmful,
         "The factor of the products of queries and keys. 0: 1 / sqrt(the numbers of a head).",
         "Hugging Face: query_pre_attn_scalar is 1 / (attention_scale squared)");
  in.key("attention_cap", &M::attention_cap, at_least(0), harmful,
         "A score s of attention becomes cap tanh(s / cap), which keeps it below the cap, as in "
         "Gemma 2. 0: no cap.",
         "Hugging Face: attn_logit_softcapping");
  in.key("biases", &M::biases, biased_layers, harmful,
         "Which linear layers have biases: all; those of attention; only queries, keys and values "
         "(qkv); or none, as in Llama.",
         "Hugging Face: attention_bias, mlp_bias");
  in.key(
        "scale_embeddings", &M::scale_embeddings, {}, harmful,
        "Multiplies the embeddings by the square root of d_model, as in the paper. GPT-2 and later "
        "models do not, nor does task: language-model by default.",
        "Hugging Face: scale_embedding; fairseq: no-scale-embedding")
      .needs(Feature::text);
  in.key("positions", &M::positions, position_kinds, harmful,
         "How positions are encoded: sinusoids with sine and cosine interleaved (interleaved, as "
         "in the paper), with all sines before all cosines (halves, as in Hugging Face's Marian "
         "and Sockeye), or the latter with tensor2tensor's frequencies (t2t, as in Marian), also "
         "from position 2 on (fairseq, as in M2M100); "
         "learned; rotary; sinusoids of row and column (plane, for task: images); or not at all "
         "(none).",
         "OpenNMT-py: position_encoding; fairseq: encoder-learned-pos; Marian: "
         "transformer-train-positions; Sockeye: transformer-positional-embedding-type");
  in.key("rotation", &M::rotation, {}, harmful,
         "The frequencies of rotary positions. The keys are below.",
         "Hugging Face: rope_parameters")
      .idle_if([](const Config& c) { return c.model.positions != PositionKind::rotary; },
               "needs positions: rotary");
  in.key("max_positions", &M::max_positions, between(1, 1'000'000), harmful,
         "The number of learned positions. No sentence may be longer.",
         "fairseq: max-target-positions")
      .idle_if([](const Config& c) { return c.model.positions != PositionKind::learned; },
               "needs positions: learned")
      .needs(Feature::pairs, "; elsewhere data.context sets the positions");
  in.key("tied", &M::tied, tyings, harmful,
         "Which matrices are shared: the source embedding, the target embedding and the output "
         "projection (all, as in the paper), the last two (target), or none.",
         "Marian: tied-embeddings-all, tied-embeddings; Joey NMT: tied_embeddings, tied_softmax; "
         "OpenNMT-py: share_embeddings, share_decoder_embeddings; fairseq: share-all-embeddings, "
         "share-decoder-input-output-embed; Sockeye: weight-tying-type")
      .needs(Feature::tokens_out);
  in.key("decoder_start", &M::decoder_start, decoder_starts, harmful,
         "What the decoder reads before the first token: the embedding of the symbol for the "
         "beginning of a sentence (bos), or zeros (zero), as in Marian.")
      .needs(Feature::pairs);
  in.key("source_end", &M::source_end, {}, harmful,
         "Ends each source in </s>. Some models of OpenNMT do not.")
      .needs(Feature::pairs);
  in.key("output_bias", &M::output_bias, {}, harmful,
         "Adds a bias to the output projection, as Marian does. In a language model with init_from "
         "it is not trained.")
      .needs(Feature::decoder);
  in.key("output_cap", &M::output_cap, at_least(0), harmful,
         "A logit z becomes cap tanh(z / cap), which keeps it below the cap, as in Gemma 2. 0: no "
         "cap.",
         "Hugging Face: final_logit_softcapping")
      .needs(Feature::decoder);
  in.key("segment_embeddings", &M::segment_embeddings, {}, harmful,
         "Adds an embedding to the tokens of each of the two texts of an example, as BERT does.")
      .needs(Feature::two_texts);
  in.key("masked_head", &M::masked_head, {}, harmful,
         "Whether a dense layer and a norm come before the output projection, as in BERT.")
      .needs(Feature::masks);
  in.key("pooling", &M::pooling, poolings, harmful,
         "What the classifier reads: the vector of the first token, or the mean of all vectors.")
      .needs(Feature::pooling);
  in.key("patch", &M::patch, between(1, 4096), harmful,
         "The side of the square patches that an image is cut into, in pixels. It must divide both "
         "sides of the images.")
      .needs(Feature::pixels);
  in.key("dropout", &M::dropout, dropped(), harmful,
         "The dropout probability of each sublayer's output and of the sums of embeddings and "
         "positions, as in the paper.",
         "Marian: transformer-dropout; Joey NMT: dropout; OpenNMT-py: dropout; fairseq: dropout; "
         "Sockeye: transformer-dropout-prepost");
  in.key("attention_dropout", &M::attention_dropout, dropped(), harmful,
         "The dropout probability of the attention weights.",
         "Marian: transformer-dropout-attention; OpenNMT-py: attention_dropout; fairseq: "
         "attention-dropout; Sockeye: transformer-dropout-attention");
  in.key("activation_dropout", &M::activation_dropout, dropped(), harmful,
         "The dropout probability inside the feed-forward sublayers.",
         "Marian: transformer-dropout-ffn; fairseq: activation-dropout, relu-dropout; Sockeye: "
         "transformer-dropout-act");
  in.key("predict", &M::predict, word_predictions, harmful,
         "What word2vec predicts: the neighbours of a word from its vector (skip-gram), or a word "
         "from the mean of its neighbours' vectors (cbow).",
         "word2vec: cbow; gensim: sg")
      .needs(Feature::word_contexts);
  in.key("init_from", &M::init_from, {}, harmful,
         "A run, a checkpoint or a safetensors file to start from, for fine-tuning: its weights "
         "are used where name and shape match. The tokenizer must be the same (tokenizer.files: "
         "RUN/tokenizer.model); a classifier or tagger that starts from a masked language model takes its "
         "tokenizer by default. It sets training.optimizer to adamw, which that key overrides. "
         "Empty: random weights.",
         "Marian: pretrained-model; Joey NMT: load_model; OpenNMT-py: train_from; fairseq: "
         "finetune-from-model, restore-file; Sockeye: params")
      .read = [](const YamlValue& from, Config& to) {
    read_value(from, "model.init_from", {}, to.model.init_from);
    if (!to.model.init_from.empty()) to.training.optimizer = TrainingConfig::Optimizer::adamw;
  };
  in.key("adapter", &M::adapter, {}, harmful,
         "Freezes the weights of init_from and trains a small correction of each linear layer "
         "instead, for fine-tuning in little memory: LoRA. The keys are below.",
         "PEFT: LoraConfig")
      .idle_if([](const Config& c) { return c.model.init_from.empty(); },
               "needs init_from, the run whose weights it corrects");
  in.key("embeddings", &M::embeddings, {}, harmful,
         "Files of word vectors that the embedding tables start from: word2vec text and binary, "
         "GloVe, fastText .vec. The keys are below.",
         "Marian: embedding-vectors, embedding-fix-src; OpenNMT-py: src_embeddings, "
         "freeze_word_vecs_enc; Joey NMT: load_pretrained, freeze; fairseq: encoder-embed-path")
      .needs(Feature::text);
  for (ConfigKey& key : std::span(table).subspan(first)) {
    const std::string_view name = std::string_view(key.name).substr(6);
    if (std::ranges::count(keys_of_all, name) == 0) key.needs(Feature::network);
    if (std::ranges::count(transformer_keys, name) > 0) {
      key.idle_if(is_rnn, "is not used by model.kind: rnn");
    }
  }
}

}  // namespace calque
