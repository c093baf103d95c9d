// Exports of translators to Marian, and imports.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/export_to.h"
#include "interop/files/npz.h"
#include "interop/filled_translator.h"
#include "interop/marian/format.h"
#include "interop/same_files.h"
#include "interop/small_translator.h"
#include "support/message_of.h"

namespace calque {
namespace {

TransformerOptions marian_options() {
  TransformerOptions options = small_options();
  options.layer.positions = PositionKind::t2t;
  options.layer.norm_epsilon = real(1e-6);
  options.decoder_start = DecoderStart::zero;
  return options;
}

Tokenizer pieces_for(const std::string& text, bool unigram) {
  return train_tokenizer({text, "eins zwei drei", "zweiunddreissig"},
                         {.kind = unigram ? TokenizerKind::unigram : TokenizerKind::bpe},
                         {.vocabulary_size = 24});
}

struct MarianOriginal {
  TemporaryFolder folder;
  Tokenizer source, target;
  SmallTranslator small;

  static TransformerOptions sized(TransformerOptions options, const Tokenizer& a,
                                  const Tokenizer& b) {
    options.source_vocabulary = a.size();
    options.target_vocabulary = b.size();
    return options;
  }
  MarianOriginal(const TransformerOptions& options, Tokenizer source_, Tokenizer target_)
      : source(std::move(source_)),
        target(std::move(target_)),
        small(sized(options, source, target)) {
    small.config.model.decoder_start = options.decoder_start;
    small.config.tokenizer.kind = target.options().kind;
    small.config.data.nfkc = false;
    small.config.decoding.beam = 3;
    if (options.output_bias) small.model.output.bias.data()[5] = real(0.5);
    export_to("marian", {small.config, {source, target}}, small.model, folder.path("marian"));
  }
  // With tokenizers of words.
  explicit MarianOriginal(const TransformerOptions& options)
      : MarianOriginal(options, tokenizer_of({"eins", "zwei", "drei"}),
                       tokenizer_of({"eins", "zwei", "drei"})) {}

  std::string model() const { return folder.path("marian/model.npz"); }
  std::vector<NpyArray> arrays() const { return parse_npz(folder.read("marian/model.npz"), "npz"); }
  void write(const std::vector<NpyArray>& arrays) const {
    folder.write("marian/model.npz", npz_bytes(arrays, "npz"));
  }
  // Replaces a setting's line in special:model.yml.
  void set(const std::string& key, const std::string& value) const {
    std::vector<NpyArray> all = arrays();
    std::string& text = all.back().bytes;
    const size_t begin = text.find("\n" + key + ": ") + 1, end = text.find('\n', begin);
    text.replace(begin, end - begin, key + ": " + value);
    all.back().shape = {std::ssize(text)};
    write(all);
  }
  std::string refusal() const {
    return message_of<Error>([&] { const FilledTranslator filled(import_marian(model())); });
  }
};

void check_marian_round_trip(const MarianOriginal& original) {
  const FilledTranslator filled(import_marian(marian_model(original.folder.path("marian"))));
  CHECK(filled.from.config.model.decoder_start == DecoderStart::zero);
  export_to("marian", filled.from, filled.model, original.folder.path("again"));
  check_same_files(original.folder, "marian", "again");
}

TEST_CASE("a translator for Marian that is imported and exported again has the same bytes") {
  TransformerOptions options = marian_options();
  SUBCASE("one table") {}
  SUBCASE("its own table for the source") { options.tying = Tying::target; }
  SUBCASE("three tables") { options.tying = Tying::none; }
  SUBCASE("a bias of the output") { options.output_bias = true; }
  SUBCASE("RMSNorm and swish") {
    options.layer.norm_kind = NormKind::rms;
    options.layer.activation = Activation::silu;
  }
  SUBCASE("without positions") {
    options.layer.positions = PositionKind::none;
    options.layer.scale_embeddings = false;
  }
  check_marian_round_trip(MarianOriginal(options));
}

TEST_CASE("SentencePiece models survive the round trip through Marian's files") {
  TransformerOptions options = marian_options();
  SUBCASE("one") {
    const Tokenizer pieces = pieces_for("eins", false);
    const MarianOriginal original(options, pieces, pieces);
    check_marian_round_trip(original);
    CHECK(original.folder.read("marian/vocab.spm") == pieces.sentence_piece()->bytes());
  }
  SUBCASE("two") {
    options.tying = Tying::target;
    check_marian_round_trip(
        MarianOriginal(options, pieces_for("one two three", true), pieces_for("eins", true)));
  }
}

TEST_CASE("the names and shapes in model.npz are Marian's") {
  TransformerOptions options = marian_options();
  std::vector<std::string> names;
  const auto shape_of = [&](const MarianOriginal& original, const std::string& name) {
    for (const NpyArray& array : original.arrays()) {
      if (array.name == name) return array.shape;
    }
    return std::vector<int64_t>{};
  };
  using Sizes = std::vector<int64_t>;
  SUBCASE("post-norm") {
    const MarianOriginal original(options);
    // Wemb, the encoder layer, the decoder layer, the output bias and the settings.
    CHECK(original.arrays().size() == 1 + 16 + 26 + 2);
    CHECK(shape_of(original, "Wemb") == Sizes{6, 8});
    CHECK(shape_of(original, "encoder_l1_self_Wq") == Sizes{8, 8});
    CHECK(shape_of(original, "encoder_l1_self_bq") == Sizes{1, 8});
    CHECK(shape_of(original, "decoder_l1_context_Wo_ln_bias") == Sizes{1, 8});
    CHECK(shape_of(original, "decoder_l1_ffn_W1") == Sizes{8, 12});
    CHECK(shape_of(original, "decoder_l1_ffn_W2") == Sizes{12, 8});
    CHECK(shape_of(original, "decoder_l1_ffn_ffn_ln_scale") == Sizes{1, 8});
    CHECK(shape_of(original, "decoder_ff_logit_out_b") == Sizes{1, 6});
    CHECK(original.arrays().back().bytes.back() == '\0');
  }
  SUBCASE("tables of their own") {
    options.tying = Tying::none;
    const MarianOriginal original(options);
    CHECK(shape_of(original, "encoder_Wemb") == Sizes{6, 8});
    CHECK(shape_of(original, "decoder_Wemb") == Sizes{6, 8});
    CHECK(shape_of(original, "decoder_ff_logit_out_Wt") == Sizes{6, 8});
  }
}

// In Marian, </s> is 0, <unk> is 1, and there is no <s>.
TEST_CASE("an .npz file with Marian's ids is imported with rows in calque's order") {
  const MarianOriginal original(marian_options());
  std::vector<NpyArray> arrays = original.arrays();
  const auto drop_begin = [](NpyArray& array, size_t bytes_of_row) {
    std::string ordered;
    for (const size_t row : {2, 0, 3, 4, 5}) {
      ordered += array.bytes.substr(row * bytes_of_row, bytes_of_row);
    }
    array.bytes = ordered;
  };
  for (NpyArray& array : arrays) {
    if (array.name == "Wemb") {
      drop_begin(array, 8 * sizeof(float));
      array.shape = {5, 8};
    }
    if (array.name == "decoder_ff_logit_out_b") {
      drop_begin(array, sizeof(float));
      array.shape = {1, 5};
    }
  }
  original.write(arrays);
  original.set("dim-vocabs", "\n  - 5\n  - 5");
  original.folder.write("marian/vocab.yml", "</s>: 0\n\"<unk>\": 1\neins: 2\n'zwei': 3\ndrei: 4\n");
  const FilledTranslator filled(import_marian(original.model()));
  const Tensor &theirs = original.small.model.source_embedding.weight,
               &own = filled.model.source_embedding.weight;
  REQUIRE(own.shape() == theirs.shape());
  for (int64_t id = 0; id < 6; ++id) {
    CAPTURE(id);
    const auto row = own.span().subspan(id * 8, 8);
    if (id == begin_id) {
      CHECK(std::ranges::all_of(row, [](real x) { return x == 0; }));
    } else {
      CHECK(std::ranges::equal(row, theirs.span().subspan(id * 8, 8)));
    }
  }
  CHECK(filled.model.output.bias.data()[begin_id] == -10'000);
  export_to("marian", filled.from, filled.model, original.folder.path("again"));
}

TEST_CASE("a row without a token gets the token <unused-ID>") {
  const MarianOriginal original(marian_options());
  original.folder.write("marian/vocab.yml", "<unk>: 0\n<s>: 1\n</s>: 2\neins: 3\nzwei: 4\n");
  const FilledTranslator filled(import_marian(original.model()));
  CHECK(filled.from.target().size() == 6);
  CHECK(filled.from.target().symbol(5) == "<unused-5>");
}

TEST_CASE("a pre-norm model of Marian is imported") {
  const MarianOriginal original(marian_options());
  std::vector<NpyArray> arrays = original.arrays();
  for (NpyArray& array : arrays) {
    if (array.name.find("_ln_") != std::string::npos) array.name += "_pre";
  }
  for (const char* name : {"encoder_top_ln_scale", "decoder_top_ln_scale", "encoder_top_ln_bias",
                           "decoder_top_ln_bias"}) {
    arrays.insert(arrays.begin(), npy_array(name, Tensor::full({8}, real(0.5))));
  }
  original.write(arrays);
  original.set("transformer-preprocess", "n");
  original.set("transformer-postprocess", "da");
  original.set("transformer-postprocess-top", "n");
  const FilledTranslator filled(import_marian(original.model()));
  CHECK(filled.from.config.model.norm_placement == NormPlacement::pre);
  REQUIRE(filled.model.encoder.norm);
  CHECK(filled.model.encoder.norm->gain.stored.data()[7] == real(0.5));
  const auto first = [](const Transformer& model) {
    return model.decoder.layers[0].self_attention_residual.norm.gain.stored.span();
  };
  CHECK(std::ranges::equal(first(filled.model), first(original.small.model)));
}

TEST_CASE("a file of Marian that is cut off anywhere is refused in one line") {
  const MarianOriginal original(marian_options());
  const std::string bytes = original.folder.read("marian/model.npz");
  for (size_t length = 0; length < bytes.size(); length += 97) {
    original.folder.write("marian/model.npz", bytes.substr(0, length));
    CHECK(original.refusal() == original.model() + ": is not a whole zip archive");
  }
}

TEST_CASE("a Marian model that is damaged or that calque cannot represent is refused in one line") {
  const MarianOriginal original(marian_options());
  CHECK(original.refusal().empty());
  const std::string settings = original.model() + ": special:model.yml: ";
  const auto refused = [&](const std::string& why) {
    CHECK(original.refusal() == why);
    CHECK(original.refusal().find('\n') == std::string::npos);
  };
  SUBCASE("another kind") {
    original.set("type", "s2s");
    refused(settings + "type is s2s; calque imports transformer");
  }
  SUBCASE("gelu") {
    original.set("transformer-ffn-activation", "gelu");
    refused(settings + "transformer-ffn-activation is gelu; calque has relu and swish");
  }
  SUBCASE("pre-norm without a norm at the top") {
    original.set("transformer-preprocess", "n");
    original.set("transformer-postprocess", "da");
    refused(
        settings +
        "transformer-postprocess a, with n before a sublayer and nothing at the top, is neither "
        "post-norm (dan) nor pre-norm (n, da, n)");
  }
  SUBCASE("average attention") {
    original.set("transformer-decoder-autoreg", "average-attention");
    refused(settings + "transformer-decoder-autoreg must be self-attention");
  }
  SUBCASE("layers that are tied") {
    original.set("transformer-tied-layers", "[1, 1]");
    refused(settings + "transformer-tied-layers must be empty");
  }
  SUBCASE("a width that is no number") {
    original.set("dim-emb", "eight");
    refused(settings + "dim-emb must be a whole number from 1 to 65536");
  }
  SUBCASE("another width") {
    original.set("dim-emb", "16");
    CHECK(original.refusal().find("but the model needs") != std::string::npos);
  }
  SUBCASE("a number of rows for one vocabulary only") {
    original.set("dim-vocabs", "[6]");
    refused(settings + "dim-vocabs must be the numbers of rows of two tables");
  }
  SUBCASE("too many layers") {
    original.set("enc-depth", "2");
    refused(original.model() + ": encoder_l2_self_Wq is missing");
  }
  SUBCASE("a tensor of no use") {
    std::vector<NpyArray> arrays = original.arrays();
    arrays.push_back(npy_array("Wpos", Tensor::full({4, 8}, 1)));
    original.write(arrays);
    refused(original.model() + ": Wpos has no place in the model that the settings describe");
  }
  SUBCASE("integers") {
    std::vector<NpyArray> arrays = original.arrays();
    arrays.front().type = "<i4";
    original.write(arrays);
    refused(original.model() + ": Wemb is of type <i4, but floating-point numbers are needed");
  }
  SUBCASE("a value that is not finite") {
    std::vector<NpyArray> arrays = original.arrays();
    arrays.front().bytes.replace(0, 4, std::string("\0\0\x80\x7f", 4));
    original.write(arrays);
    refused(original.model() + ": Wemb holds a value that is infinite or not a number");
  }
  SUBCASE("no settings") {
    std::vector<NpyArray> arrays = original.arrays();
    arrays.pop_back();
    original.write(arrays);
    refused(original.model() + ": has no special:model.yml, the settings of the model");
  }
  SUBCASE("no vocabulary") {
    std::filesystem::remove(original.folder.path("marian/vocab.yml"));
    refused(original.folder.path("marian/vocab.yml") + ": is missing");
  }
  SUBCASE("a vocabulary without an end") {
    const std::string path = original.folder.write("marian/vocab.yml", "<unk>: 0\neins: 1\n");
    refused(path + ": has no <unk> or no </s>");
  }
  SUBCASE("a number twice") {
    const std::string path =
        original.folder.write("marian/vocab.yml", "<unk>: 0\n</s>: 2\neins: 2\n");
    refused(path + ": the number 2 is there twice");
  }
  SUBCASE("a line that is no token") {
    const std::string path = original.folder.write("marian/vocab.yml", "<unk>: 0\n- 5\n");
    refused(path + ":2: must be a token and its number, token: 7");
  }
}

TEST_CASE("vocabularies of a .decoder.yml are read from the model's folder, whatever their path") {
  const MarianOriginal original(marian_options());
  const std::string text = original.folder.read("marian/model.npz.decoder.yml");
  CHECK(text.find("vocabs: [vocab.yml, vocab.yml]\n") != std::string::npos);
  CHECK(text.find("beam-size: 3\nnormalize: 1\n") != std::string::npos);
  original.folder.write("marian/model.npz.decoder.yml",
                        "vocabs:\n  - /etc/vocab.yml\n  - ../vocab.yml\nbeam-size: 7\n");
  const FilledTranslator filled(import_marian(original.model()));
  CHECK(filled.from.config.decoding.beam == 7);
  CHECK(filled.from.config.decoding.length_penalty == 0);
}

}  // namespace
}  // namespace calque
