// The folder for M2M100 of transformers, read back. tests/reference/m2m100.py compares it with
// transformers itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "interop/export_to.h"
#include "interop/parameters/tensors.h"
#include "interop/small_translator.h"
#include "support/message_of.h"

namespace calque {
namespace {

struct ManyLanguages {
  Tokenizer pieces;
  TemporaryFolder folder;
  SmallTranslator small;

  explicit ManyLanguages(std::vector<std::string> marks)
      : pieces(train_tokenizer({"eins zwei drei", "drei zwei eins", "zweiunddreissig"},
                               {.kind = TokenizerKind::bpe},
                               {.vocabulary_size = 26, .marks = std::move(marks)})),
        small(options(pieces.size())) {
    small.config.tokenizer.kind = TokenizerKind::bpe;
    small.config.model.norm_placement = NormPlacement::pre;
    small.config.data.multilingual = true;
  }
  static TransformerOptions options(int64_t vocabulary) {
    TransformerOptions own = small_options();
    own.layer.positions = PositionKind::fairseq;
    own.layer.norm_placement = NormPlacement::pre;
    own.source_vocabulary = own.target_vocabulary = vocabulary;
    return own;
  }
  std::string out() const { return folder.path("m2m"); }
  void write() { export_to("m2m100", {small.config, {pieces}}, small.model, out()); }
};

TEST_CASE("a translator for M2M100 has the rows of its languages where M2M100Tokenizer looks") {
  ManyLanguages many({">>zu<<", ">>de<<"});
  std::ranges::copy(std::vector<real>{1, 2, 1, 2, 1, 2, 1, 2},
                    many.small.model.decoder.norm->gain.stored.data());
  std::ranges::fill(many.small.model.decoder.norm->bias.span(), real(0.5));
  many.write();
  const auto config = nlohmann::json::parse(many.folder.read("m2m/config.json"));
  const auto vocabulary = nlohmann::json::parse(many.folder.read("m2m/vocab.json"));
  const int64_t known = many.pieces.size() - 2 + 1;  // without the languages, with <pad>
  CHECK(std::ssize(vocabulary) == known);
  CHECK(vocabulary["<s>"] == 0);
  CHECK(vocabulary["</s>"] == 2);
  CHECK(config["vocab_size"] == known + 100 + 8);
  CHECK(config["pad_token_id"] == 1);

  ForeignTensors tensors = read_weights_folder(many.out());
  const Tensor table = tensors.take("model.shared.weight", {known + 108, 8});
  const Tensor& own = many.small.model.source_embedding.weight;
  const auto row_of = [](const Tensor& of, int64_t row) {
    const auto all = of.span().subspan(static_cast<size_t>(row * 8), 8);
    return std::vector<real>(all.begin(), all.end());
  };
  constexpr int64_t german = 16, zulu = 99;  // among the languages of M2M100Tokenizer
  CHECK(row_of(table, known + german) == row_of(own, *many.pieces.find(">>de<<")));
  CHECK(row_of(table, known + zulu) == row_of(own, *many.pieces.find(">>zu<<")));
  const std::string piece = many.pieces.symbol(many.pieces.size() - 1);
  CHECK(row_of(table, vocabulary[piece]) == row_of(own, many.pieces.size() - 1));
  CHECK(row_of(table, 3) == row_of(own, 0));

  // Any output of the decoder: the norm's scaled numbers have the mean 0.
  const std::vector<real> scaled = {1, -1, 2, -2, 3, -3, 1, -1}, absent = row_of(table, 1);
  double logit = 0;
  for (size_t i = 0; i < 8; ++i) logit += double(absent[i]) * ((i % 2 ? 2 : 1) * scaled[i] + 0.5);
  CHECK(logit == doctest::Approx(-10'000));
  CHECK(row_of(table, known + 107) == absent);
}

TEST_CASE("a language that M2M100 lacks, and a model of another shape, are refused") {
  ManyLanguages basque({">>de<<", ">>eu<<"});
  CHECK(message_of<Error>([&] { basque.write(); }) ==
        basque.out() +
            ": not exported: the language eu is none of the 100 of M2M100; huggingface "
            "can hold it");
  ManyLanguages other({">>de<<", ">>fr<<"});
  CHECK(message_of<Error>([&] {
          other.write();
        }).starts_with(other.out() + ": not exported: the biases of the decoder's last norm"));
  other.small.config.model.positions = PositionKind::t2t;
  CHECK(message_of<Error>([&] { other.write(); }) ==
        other.out() +
            ": not exported: model.positions is t2t, which m2m100 cannot hold; "
            "ctranslate2, huggingface, numpy, safetensors can");
}

}  // namespace
}  // namespace calque
