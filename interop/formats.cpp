#include "interop/formats.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "interop/exported.h"
#include "train/config/schema.h"

namespace calque {
namespace {

class Obstacles {
 public:
  explicit Obstacles(const Config& config) : config_(config), model(config.model) {}

  void add_if(bool in_the_way, const std::string& key) {
    if (in_the_way) found_.push_back({key, find_config_key(key)->write(config_)});
  }
  void add_unless_task(std::initializer_list<TaskKind> tasks) {
    add_if(std::ranges::find(tasks, config_.task) == tasks.end(), "task");
  }
  // For engines that have no setting for epsilon and use PyTorch's default.
  void add_unless_usual_epsilon() {
    add_if(std::abs(double(model.norm_epsilon) - 1e-5) > 1e-9, "model.norm_epsilon");
  }
  std::vector<Obstacle> take() { return std::move(found_); }

 private:
  const Config& config_;
  std::vector<Obstacle> found_;

 public:
  const ModelConfig& model;
};

void add_of_every_model(Obstacles& in, const ModelConfig& model) {
  in.add_if(model.kind == ModelConfig::Kind::rnn, "model.kind");
  in.add_if(model.experts.count > 0, "model.experts");
  in.add_if(model.attention.window > 0, "model.attention");
  in.add_if(model.qk_norm, "model.qk_norm");
}

std::vector<Obstacle> of_ctranslate2(const Config& config) {
  Obstacles in(config);
  in.add_unless_task({TaskKind::translation});
  add_of_every_model(in, config.model);
  // A decoder that begins with zeros is read as Marian's, whose sources end in </s>.
  in.add_if(!config.model.source_end && config.model.decoder_start == DecoderStart::zero,
            "model.source_end");
  return in.take();
}

// MarianMT is post-norm; Pegasus is the same model with pre-norm, and has one table of embeddings.
void add_of_marian_mt(Obstacles& in, const Config& config) {
  const ModelConfig& model = config.model;
  in.add_if(!model.source_end, "model.source_end");
  in.add_if(model.norm_kind == NormKind::rms, "model.norm_kind");
  in.add_if(gated(model.activation), "model.activation");
  in.add_if(model.positions == PositionKind::rotary, "model.positions");
  in.add_unless_usual_epsilon();
  if (config.tokenizer.files.empty()) {  // the export itself checks an imported model
    in.add_if(model.decoder_start == DecoderStart::zero, "model.decoder_start");
  }
  if (model.norm_placement == NormPlacement::pre) in.add_if(model.tied != Tying::all, "model.tied");
  in.add_if(!is_sentence_piece(config.tokenizer.kind), "tokenizer.kind");
  in.add_if(config.data.lowercase, "data.lowercase");
}

void add_of_language_model(Obstacles& in, const Config& config) {
  const ModelConfig& model = config.model;
  const LanguageModelShape shape = shape_of(model);
  const bool llama = shape == LanguageModelShape::llama;
  in.add_if(model.norm_placement == NormPlacement::post, "model.norm");
  in.add_if(model.norm_kind == NormKind::rms && !llama, "model.norm_kind");
  in.add_if(gated(model.activation) != llama, "model.activation");
  in.add_if(model.output_bias, "model.output_bias");
  in.add_if(config.data.lowercase, "data.lowercase");
}

// BERT is post-norm, ViT pre-norm.
void add_of_encoder(Obstacles& in, const Config& config, NormPlacement placement) {
  const ModelConfig& model = config.model;
  in.add_if(model.norm_placement != placement, "model.norm");
  in.add_if(model.norm_kind == NormKind::rms, "model.norm_kind");
  in.add_if(gated(model.activation), "model.activation");
  in.add_if(model.positions == PositionKind::rotary, "model.positions");
  if (config.task != TaskKind::masked_lm)
    in.add_if(model.pooling == Pooling::mean, "model.pooling");
}

void add_of_bert(Obstacles& in, const Config& config) {
  add_of_encoder(in, config, NormPlacement::post);
  if (config.task == TaskKind::masked_lm) in.add_if(!config.model.masked_head, "model.masked_head");
  if (config.tokenizer.kind != TokenizerKind::word_piece) {
    in.add_if(config.data.lowercase, "data.lowercase");
  }
}

std::vector<Obstacle> of_huggingface(const Config& config) {
  Obstacles in(config);
  in.add_if(config.task == TaskKind::word2vec, "task");
  add_of_every_model(in, config.model);
  switch (config.task) {
    case TaskKind::translation:
      add_of_marian_mt(in, config);
      break;
    case TaskKind::language_model:
      add_of_language_model(in, config);
      break;
    case TaskKind::masked_lm:
    case TaskKind::classification:
      add_of_bert(in, config);
      break;
    case TaskKind::images:
      add_of_encoder(in, config, NormPlacement::pre);
      break;
    case TaskKind::word2vec:
      break;
  }
  return in.take();
}

// transformers.js has one tokenizer for both languages, and no tokenizer of words or characters.
std::vector<Obstacle> of_onnx(const Config& config) {
  Obstacles in(config);
  in.add_unless_task({TaskKind::translation});
  add_of_every_model(in, config.model);
  in.add_if(!config.model.source_end, "model.source_end");
  in.add_if(!is_sentence_piece(config.tokenizer.kind), "tokenizer.kind");
  in.add_if(!config.tokenizer.joint, "tokenizer.joint");
  in.add_if(config.data.lowercase, "data.lowercase");
  return in.take();
}

// Marian's Transformer. Its decoder normalizes the keys and values of pre-norm layers in training
// but not in translation. Its vocabularies are SentencePiece models, or lists of tokens for text
// whose tokens are separated by spaces.
std::vector<Obstacle> of_marian(const Config& config) {
  const ModelConfig& model = config.model;
  Obstacles in(config);
  in.add_unless_task({TaskKind::translation});
  add_of_every_model(in, model);
  if (config.task != TaskKind::translation) return in.take();
  in.add_if(model.norm_placement == NormPlacement::pre, "model.norm");
  in.add_if(model.decoder_start != DecoderStart::zero, "model.decoder_start");
  in.add_if(!model.source_end, "model.source_end");
  const bool none = model.positions == PositionKind::none;
  in.add_if(!none && model.positions != PositionKind::t2t, "model.positions");
  in.add_if(none == model.scale_embeddings, "model.scale_embeddings");
  in.add_if(model.activation != Activation::relu && model.activation != Activation::silu,
            "model.activation");
  in.add_if(std::abs(double(model.norm_epsilon) - 1e-6) > 1e-10, "model.norm_epsilon");
  const bool words = config.tokenizer.kind == TokenizerKind::words;
  in.add_if(!words && !is_sentence_piece(config.tokenizer.kind), "tokenizer.kind");
  in.add_if(words && config.data.nfkc, "data.nfkc");
  in.add_if(config.data.lowercase, "data.lowercase");
  return in.take();
}

// Of llama.cpp's tokenizers, the export uses bytes and SentencePiece's BPE. llama.cpp does not
// normalize texts for BPE.
std::vector<Obstacle> of_gguf(const Config& config) {
  Obstacles in(config);
  in.add_unless_task({TaskKind::language_model});
  add_of_every_model(in, config.model);
  if (config.task != TaskKind::language_model) return in.take();
  add_of_language_model(in, config);
  in.add_if(
      config.model.activation == Activation::relu || config.model.activation == Activation::silu,
      "model.activation");
  const bool pieces = config.tokenizer.kind == TokenizerKind::bpe;
  in.add_if(!pieces && config.tokenizer.kind != TokenizerKind::bytes, "tokenizer.kind");
  if (!config.tokenizer.files.empty()) return in.take();  // the export itself checks the files
  in.add_if(pieces && !config.tokenizer.byte_fallback, "tokenizer.byte_fallback");
  in.add_if(pieces && config.data.nfkc, "data.nfkc");
  return in.take();
}

}  // namespace

std::vector<std::string> export_format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : export_formats) names.emplace_back(name);
  return names;
}

ExportFormat export_format_named(std::string_view name) {
  const auto* found = std::ranges::find(export_formats, name, &Named<ExportFormat>::name);
  require(found != std::end(export_formats), "export_format_named: no format is named {}", name);
  return found->choice;
}

std::vector<Obstacle> obstacles(ExportFormat format, const Config& config) {
  switch (format) {
    case ExportFormat::ctranslate2:
      return of_ctranslate2(config);
    case ExportFormat::huggingface:
      return of_huggingface(config);
    case ExportFormat::onnx:
      return of_onnx(config);
    case ExportFormat::marian:
      return of_marian(config);
    case ExportFormat::gguf:
      return of_gguf(config);
    case ExportFormat::numpy:
    case ExportFormat::safetensors:
      break;
  }
  return {};
}

std::string obstacle_text(const Obstacle& obstacle, ExportFormat format, const Config& config) {
  std::vector<std::string_view> others;
  for (const auto& [name, other] : export_formats) {
    if (other != format && obstacles(other, config).empty()) others.push_back(name);
  }
  return fmt::format("{} is {}, which {} cannot hold; {} can", obstacle.key, obstacle.value,
                     name_of(export_formats, format), fmt::join(others, ", "));
}

void require_exportable(ExportFormat format, const Config& config, const std::string& place) {
  const std::vector<Obstacle> found = obstacles(format, config);
  if (!found.empty()) {
    fail("{}: not exported: {}", place, obstacle_text(found.front(), format, config));
  }
}

}  // namespace calque
