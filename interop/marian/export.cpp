#include <nlohmann/json.hpp>
#include <numeric>

#include "data/tokenizers/vocabulary.h"
#include "interop/files/npz.h"
#include "interop/marian/format.h"
#include "interop/marian/settings.h"
#include "interop/parameters/filling_walk.h"
#include "interop/tokenizers/vocabulary.h"

namespace calque {
namespace {

// A vocabulary as Marian reads it, and calque's id of each of its tokens.
struct MarianVocabulary {
  std::string ending, bytes;
  VocabularyRows ids;
};

bool is_in_order(const VocabularyRows& ids) {
  for (int64_t i = 0; i < std::ssize(ids); ++i) {
    if (ids[static_cast<size_t>(i)] != i) return false;
  }
  return true;
}

// Marian uses the ids of the SentencePiece model. The model is written unchanged if it has all
// tokens, or all but an <s> whose probability is 0.
MarianVocabulary pieces_for_marian(const SentencePieceModel& pieces, bool without_begin) {
  MarianVocabulary to{".spm", pieces.bytes(), {}};
  to.ids.assign(static_cast<size_t>(pieces.model_size()), no_row);
  bool complete = true;
  for (int32_t id = 0; id < pieces.size(); ++id) {
    const int32_t number = pieces.model_id(id);
    if (number >= 0) to.ids[static_cast<size_t>(number)] = id;
    if (number < 0 && (id != begin_id || !without_begin)) complete = false;
  }
  if (complete && std::ranges::count(to.ids, no_row) == 0) return to;
  std::vector<std::string> list;
  for (int32_t id = special_ids; id < pieces.size(); ++id) list.push_back(pieces.piece(id));
  to.bytes = with_pieces(pieces.bytes(), list);
  to.ids.resize(static_cast<size_t>(pieces.size()));
  std::iota(to.ids.begin(), to.ids.end(), 0);
  return to;
}

MarianVocabulary vocabulary_for_marian(const Tokenizer& tokenizer, bool without_begin) {
  if (const SentencePieceModel* pieces = tokenizer.sentence_piece()) {
    return pieces_for_marian(*pieces, without_begin);
  }
  MarianVocabulary to{".yml", "", {}};
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    to.bytes += fmt::format("{}: {}\n", nlohmann::json(tokenizer.symbol(id)).dump(), id);
    to.ids.push_back(id);
  }
  return to;
}

// Collects the arrays of model.npz: vectors are [1, n], and rows have the order of Marian's
// vocabularies.
class MarianArrays : public ParameterWalk {
 public:
  MarianArrays(const MarianVocabulary& source, const MarianVocabulary& target)
      : source_(source), target_(target) {}

  using ParameterWalk::tensor;
  void tensor(const std::string& name, const Tensor& own, const Placement& placement) override {
    ListingWalk one;
    one.tensor(name, own, placement);
    add(name, one.list.front().tensor);
  }
  void table(const std::string& name, const Tensor& own, Side side, real) override {
    const VocabularyRows& ids = side == Side::source ? source_.ids : target_.ids;
    if (is_in_order(ids) && std::ssize(ids) == own.shape()[0]) return add(name, own);
    const int64_t rows = std::ssize(ids);
    Tensor ordered(own.shape().axes() == 1 ? Shape{rows} : Shape{rows, own.cols()});
    copy_rows(own, ids, ordered);
    add(name, ordered);
  }
  void add(const std::string& name, const Tensor& tensor) {
    list.push_back(npy_array(name, tensor));
    if (tensor.shape().axes() == 1) list.back().shape = {1, tensor.size()};
  }

  std::vector<NpyArray> list;

 private:
  const MarianVocabulary &source_, &target_;
};

const char* yes_or_no(bool value) { return value ? "true" : "false"; }

// The text of special:model.yml. Settings that only converters of Marian's models read have
// Marian's defaults.
std::string settings_text(const TransformerOptions& options, size_t source, size_t target) {
  const LayerOptions& layer = options.layer;
  const char* norm = layer.norm_kind == NormKind::rms ? "r" : "n";
  std::string text = "type: transformer\nversion: v1.12.0\n";
  const auto add = [&](std::string_view key, const auto& value) {
    text += fmt::format("{}: {}\n", key, value);
  };
  add("dim-vocabs", fmt::format("[{}, {}]", source, target));
  add("dim-emb", layer.d_model);
  add("enc-depth", options.encoder_layers);
  add("dec-depth", options.decoder_layers);
  add("transformer-heads", layer.heads);
  add("transformer-dim-ffn", layer.d_ff);
  add("transformer-decoder-dim-ffn", 0);
  add("transformer-ffn-depth", 2);
  add("transformer-decoder-ffn-depth", 0);
  add("transformer-ffn-activation", name_of(marian_activations, layer.activation));
  add("transformer-preprocess", "\"\"");
  add("transformer-postprocess", fmt::format("da{}", norm));
  add("transformer-postprocess-emb", "d");
  add("transformer-postprocess-top", "\"\"");
  add("transformer-disable-position-embeddings", yes_or_no(layer.positions == PositionKind::none));
  add("transformer-decoder-autoreg", "self-attention");
  add("transformer-guided-alignment-layer", "last");
  add("transformer-tied-layers", "[]");
  add("transformer-train-position-embeddings", "false");
  add("transformer-no-projection", "false");
  add("transformer-aan-depth", 2);
  add("transformer-aan-activation", "swish");
  add("transformer-aan-nogate", "false");
  add("transformer-dim-aan", 2048);
  add("tied-embeddings", yes_or_no(options.tying == Tying::target));
  add("tied-embeddings-src", "false");
  add("tied-embeddings-all", yes_or_no(options.tying == Tying::all));
  add("output-omit-bias", "false");
  add("layer-normalization", "false");
  add("right-left", "false");
  add("skip", "false");
  add("ulr", "false");
  add("lemma-dim-emb", 0);
  add("input-types", "[]");
  add("special-vocab", "[]");
  return text;
}

std::string decoder_text(const DecodingConfig& decoding, const std::string& source,
                         const std::string& target) {
  const bool plain = decoding.length_penalty_kind == SearchOptions::Penalty::none;
  return fmt::format(
      "relative-paths: true\nmodels: [model.npz]\nvocabs: [{}, {}]\n"
      "beam-size: {}\nnormalize: {}\nword-penalty: 0\nallow-unk: {}\nallow-special: true\n"
      "mini-batch: 1\nmaxi-batch: 1\nmaxi-batch-sort: none\n",
      source, target, decoding.beam, plain ? 0 : decoding.length_penalty,
      yes_or_no(decoding.allow_unknown));
}

constexpr std::string_view marian_readme = R"(# A translator for Marian

```python
import pymarian  # or: marian-decoder -c model.npz.decoder.yml < text
translator = pymarian.Translator(config="PATH OF THIS FOLDER/model.npz.decoder.yml", cpu_threads=1)
print(translator.translate(["A sentence."]))
```
)";

constexpr std::string_view words_readme =
    "\nThe vocabularies are lists of words: separate the tokens of a line by spaces.\n";

}  // namespace

void write_marian(const Exported<Transformer>& from, ExportFolder& to) {
  const Tensor& bias = from.model.output.bias;
  const bool without_begin = bias && bias.data()[begin_id] <= absent_logit;
  const MarianVocabulary source = vocabulary_for_marian(from.source(), without_begin),
                         target = vocabulary_for_marian(from.target(), without_begin);
  const bool one = source.bytes == target.bytes;
  const std::string source_name = (one ? "vocab" : "source") + source.ending,
                    target_name = (one ? "vocab" : "target") + target.ending;

  MarianArrays arrays(source, target);
  walk_marian(arrays, from.model);
  // Marian can omit the output bias, but not all readers of its models support that.
  if (!bias) arrays.add("decoder_ff_logit_out_b", Tensor::zeros({std::ssize(target.ids)}));
  // All readers expect one NUL at the end.
  const std::string settings =
      settings_text(from.model.options, source.ids.size(), target.ids.size()) + '\0';
  arrays.list.push_back({"special:model.yml", "|i1", {std::ssize(settings)}, settings});

  to.write_npz("model.npz", arrays.list);
  to.write_read_back(source_name, source.bytes);
  if (!one) to.write_read_back(target_name, target.bytes);
  to.write("model.npz.decoder.yml", decoder_text(from.config.decoding, source_name, target_name));
  to.write("README.md", from.source().sentence_piece()
                            ? std::string(marian_readme)
                            : std::string(marian_readme).append(words_readme));
}

}  // namespace calque
