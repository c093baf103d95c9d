#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/ctranslate2/folder.h"
#include "interop/ctranslate2/format.h"
#include "interop/ctranslate2/revisions.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/pieces.h"
#include "train/config/fine_tuning.h"

namespace calque {
namespace {

// Whether embeddings are scaled. The variable is a flag, or the factor itself.
bool reads_scaled(const Ct2Folder& folder, const std::string& name, int64_t d_model) {
  const Ct2Variable* found = find_ct2(folder.model, name);
  const bool is_factor = found && found->sizes.empty() && found->type == Ct2Type::float32;
  if (!is_factor) return folder.whole(name, 1) != 0;
  float factor = 0;
  std::memcpy(&factor, found->bytes.data(), sizeof factor);
  const float root = std::sqrt(static_cast<float>(d_model));
  if (factor == 1) return false;
  if (std::abs(factor - root) > 1e-5F * root) {
    fail("{}: {} is {}; calque has 1 and the square root of the width, {}", folder.place, name,
         factor, root);
  }
  return true;
}

Activation read_activation(const Ct2Folder& folder, bool gate) {
  const int64_t number = folder.of_both("activation", 0);
  for (const auto& [name, activation] : activations) {
    if (gated(activation) == gate && ct2_activation(activation) == number) return activation;
  }
  fail("{}: activation {}{} is not one that calque has", folder.place, number,
       gate ? " with a gate" : "");
}

int64_t count_layers(const ForeignTensors& tensors, const std::string& side) {
  int64_t layers = 0;
  const auto name = [&] {
    return fmt::format("{}/layer_{}/self_attention/linear_0/weight", side, layers);
  };
  while (tensors.has(name())) ++layers;
  if (layers == 0) fail("{}: {} is missing", tensors.place(), name());
  return layers;
}

int64_t size_of_axis(const ForeignTensors& tensors, const std::string& name, int axis) {
  const Tensor* found = tensors.find(name);
  if (!found) fail("{}: {} is missing", tensors.place(), name);
  if (found->shape().axes() != 2 || found->shape()[axis] == 0 ||
      found->shape()[axis] > most_tokens) {
    fail("{}: {} is {}, but a matrix is needed", tensors.place(), name, found->shape());
  }
  return found->shape()[axis];
}

bool same_values(const Tensor* a, const Tensor* b) {
  return a && b && a->shape() == b->shape() &&
         (a->data() == b->data() || std::ranges::equal(a->span(), b->span()));
}

void read_ct2_model(const Ct2Folder& folder, const ForeignTensors& tensors, ModelConfig& to) {
  const std::string ffn = "encoder/layer_0/ffn/linear_0";
  to.encoder_layers = count_layers(tensors, "encoder");
  to.decoder_layers = count_layers(tensors, "decoder");
  to.d_model = size_of_axis(tensors, "encoder/embeddings_0/weight", 1);
  to.d_ff = size_of_axis(tensors, ffn + "/weight", 0);
  to.heads = folder.of_both("num_heads", 8);
  if (to.heads < 1 || to.d_model % to.heads != 0) {
    fail("{}: num_heads is {}, which does not divide the width {}", folder.place, to.heads,
         to.d_model);
  }
  to.norm_placement = folder.of_both("pre_norm", 1) != 0 ? NormPlacement::pre : NormPlacement::post;
  to.norm_kind = tensors.has("encoder/layer_0/self_attention/layer_norm/beta") ? NormKind::layer
                                                                               : NormKind::rms;
  const double epsilon = to.norm_kind == NormKind::layer ? 1e-5 : 1e-6;
  to.norm_epsilon = static_cast<real>(folder.config.number("layer_norm_epsilon", epsilon));
  to.activation = read_activation(folder, tensors.has(ffn + "_noact/weight"));
  to.scale_embeddings = reads_scaled(folder, "encoder/scale_embeddings", to.d_model);
  if (reads_scaled(folder, "decoder/scale_embeddings", to.d_model) != to.scale_embeddings) {
    fail("{}: scale_embeddings of encoder and decoder must be the same", folder.place);
  }
  if (folder.of_both("multi_query_attention", 0) != 0) {
    fail("{}: multi_query_attention must be 0", folder.place);
  }
  if (folder.whole("encoder/embeddings_merge", 0) != 0) {
    fail("{}: encoder/embeddings_merge must be 0", folder.place);
  }
}

// Reads rotary positions, or the two tables. If a table is not stored, CTranslate2 uses sinusoids
// that begin at position 1.
PositionKind read_ct2_positions(const Ct2Folder& folder, const ModelConfig& model,
                                ForeignTensors& tensors, Tensor (&tables)[2]) {
  const std::string scope = "encoder/layer_0/self_attention/rotary_";
  const int64_t rotated = folder.whole(scope + "dim", 0);
  if (rotated != 0) {
    if (rotated != model.d_model / model.heads || folder.whole(scope + "interleave", 1) != 0) {
      fail("{}: rotary positions must rotate whole heads, without rotary_interleave", folder.place);
    }
    return PositionKind::rotary;
  }
  constexpr int64_t usual_rows = 1024;
  PositionKind kinds[2];
  for (const int side : {0, 1}) {
    const std::string name =
        fmt::format("{}/position_encodings/encodings", side == 0 ? "encoder" : "decoder");
    const bool stored = tensors.has(name);
    if (!stored && (model.d_model % 2 != 0 || model.d_model < 4)) {
      fail("{}: {} is missing", folder.place, name);
    }
    tables[side] = stored ? tensors.take(name, {size_of_axis(tensors, name, 0), model.d_model})
                          : sinusoids(PositionKind::t2t, usual_rows, model.d_model, 1);
    kinds[side] = kind_of_table(tables[side]);
  }
  if (kinds[0] == kinds[1] && tables[0].rows() == tables[1].rows()) return kinds[0];
  if (tables[0].rows() != tables[1].rows()) {
    fail("{}: the tables of positions have {} and {} rows, not the same number", folder.place,
         tables[0].rows(), tables[1].rows());
  }
  return PositionKind::learned;
}

// A decoder that begins with zeros is Marian's, whose sources end in </s>: if CTranslate2 does not
// add </s>, the tokenizer does.
bool sources_end(const Ct2Folder& folder, bool zeros) {
  if (folder.config.flag("add_source_bos", false)) {
    folder.config.refuse("add_source_bos", "must be false");
  }
  return zeros || folder.config.flag("add_source_eos", false);
}

void require_rows(const Ct2Folder& folder, const VocabularyRows& rows, int64_t size) {
  if (std::ranges::all_of(rows, [size](int64_t row) { return row < size; })) return;
  fail("{}: a table has {} rows, fewer than the vocabulary has tokens", folder.place, size);
}

}  // namespace

Imported<Transformer> import_ctranslate2(const std::string& path) {
  const Ct2Folder folder(path);
  ForeignTensors tensors = ct2_tensors(folder.model, folder.place);
  Imported<Transformer> to(fine_tuning_config(TaskKind::translation));
  ModelConfig& model = to.config.model;
  read_ct2_model(folder, tensors, model);
  Tensor tables[2];
  model.positions = read_ct2_positions(folder, model, tensors, tables);
  if (tables[0]) model.max_positions = tables[0].rows();
  if (model.positions == PositionKind::learned) {
    to.config.data.max_length = std::min(to.config.data.max_length, model.max_positions - 1);
  }
  ForeignLanguages languages =
      read_ct2_vocabularies(folder, size_of_axis(tensors, "encoder/embeddings_0/weight", 0),
                            size_of_axis(tensors, "decoder/embeddings/weight", 0));
  ForeignVocabularies& rows = languages.rows;
  const Tensor* embeddings = tensors.find("decoder/embeddings/weight");
  const bool tied = same_values(embeddings, tensors.find("decoder/projection/weight"));
  const bool one =
      languages.one && same_values(embeddings, tensors.find("encoder/embeddings_0/weight"));
  model.tied = !tied ? Tying::none : one ? Tying::all : Tying::target;
  require_rows(folder, rows.source, rows.source_size);
  require_rows(folder, rows.target, rows.target_size);

  // The decoder begins with a vector of zeros, or with a token of the target vocabulary.
  const bool zeros = folder.whole("decoder/start_from_zero_embedding", 0) != 0;
  model.decoder_start = zeros ? DecoderStart::zero : DecoderStart::bos;
  model.source_end = sources_end(folder, zeros);
  if (rows.target[begin_id] == no_row && !zeros) {
    fail("{}: the vocabulary lacks the token that the decoder begins with", folder.place);
  }
  std::vector<int32_t> absent = languages.unlisted;
  if (rows.target[begin_id] == no_row || rows.target[begin_id] == rows.target[end_id]) {
    absent.push_back(begin_id);
  }
  for (VocabularyRows* side : {&rows.source, &rows.target}) {
    if (zeros && (*side)[begin_id] == (*side)[end_id]) (*side)[begin_id] = no_row;
  }
  const std::string bias_name = "decoder/projection/bias";
  Tensor bias;
  if (tensors.has(bias_name) || !absent.empty()) {
    bias = output_bias(tensors, bias_name, {rows.target_size}, rows.target, absent);
  }
  model.output_bias = static_cast<bool>(bias);
  for (int64_t i = 0; i < std::max(model.encoder_layers, model.decoder_layers); ++i) {
    for (const char* side : {"encoder", "decoder"}) {
      tensors.drop(fmt::format("{}/layer_{}/self_attention/rotary_base", side, i));
    }
  }
  to.use(languages.tokenizers);
  to.config.decoding.allow_unknown = false;
  to.fill =
      filling<Transformer>(walk_ctranslate2, tensors, rows,
                           [bias, first = tables[0], second = tables[1]](const Transformer& own) {
                             if (bias) std::ranges::copy(bias.span(), own.output.bias.data());
                             fill_learned(own.source_positions, first);
                             fill_learned(own.target_positions, second);
                           });
  return to;
}

}  // namespace calque
