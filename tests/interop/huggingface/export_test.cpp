// The folders for transformers, read back as safetensors and JSON. check_huggingface.py in this
// folder compares them with transformers itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "interop/export_to.h"
#include "interop/small_translator.h"
#include "train/storage/safetensors.h"

namespace calque {
namespace {

Tokenizer small_pieces() {
  return train_tokenizer({"eins zwei drei", "drei zwei eins", "zweiunddreissig"},
                         {.kind = TokenizerKind::bpe}, {.vocabulary_size = 24});
}

struct ExportedFolder {
  TemporaryFolder folder;
  nlohmann::json config;
  std::vector<std::string> names;

  explicit ExportedFolder(TransformerOptions options) {
    const Tokenizer pieces = small_pieces();
    options.source_vocabulary = options.target_vocabulary = pieces.size();
    SmallTranslator small(options);
    small.config.tokenizer.kind = TokenizerKind::bpe;
    small.config.model.tied = options.tying;
    export_to("huggingface", {small.config, {pieces}}, small.model, folder.path("hf"));
    config = nlohmann::json::parse(folder.read("hf/config.json"));
    const SafetensorsFile file(real_files(), folder.path("hf/model.safetensors"));
    for (const TensorEntry& entry : file.table().entries) names.push_back(entry.name);
  }
  bool has(const std::string& name) const { return std::ranges::count(names, name) == 1; }
};

TEST_CASE("a post-norm translator is exported as MarianMT, a pre-norm translator as Pegasus") {
  TransformerOptions options = small_options();
  const ExportedFolder post(options);
  CHECK(post.config["model_type"] == "marian");
  CHECK(!post.has("model.encoder.layer_norm.weight"));
  options.layer.norm_placement = NormPlacement::pre;
  const ExportedFolder pre(options);
  CHECK(pre.config["model_type"] == "pegasus");
  CHECK(pre.has("model.encoder.layer_norm.weight"));
}

TEST_CASE("the export to transformers has each table of the model once") {
  TransformerOptions options = small_options();
  const ExportedFolder all(options);
  CHECK(all.has("model.shared.weight"));
  CHECK(!all.has("lm_head.weight"));
  CHECK(all.config["share_encoder_decoder_embeddings"] == true);
  options.tying = Tying::target;
  const ExportedFolder target(options);
  CHECK(target.has("model.encoder.embed_tokens.weight"));
  CHECK(target.has("model.decoder.embed_tokens.weight"));
  CHECK(!target.has("lm_head.weight"));
  CHECK(target.config["tie_word_embeddings"] == true);
  options.tying = Tying::none;
  const ExportedFolder none(options);
  CHECK(none.has("lm_head.weight"));
  CHECK(none.config["tie_word_embeddings"] == false);
}

TEST_CASE("vocab.json for transformers maps every piece to its id") {
  const ExportedFolder exported(small_options());
  const Tokenizer pieces = small_pieces();
  const auto ids = nlohmann::json::parse(exported.folder.read("hf/vocab.json"));
  REQUIRE(std::ssize(ids) == pieces.size());
  for (int32_t id = 0; id < pieces.size(); ++id) CHECK(ids[pieces.symbol(id)] == id);
  CHECK(exported.folder.read("hf/source.spm") == pieces.sentence_piece()->bytes());
}

}  // namespace
}  // namespace calque
