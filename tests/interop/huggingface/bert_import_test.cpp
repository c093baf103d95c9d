// Imports of BERT from transformers: folders that calque exports, and folders as others write them.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "interop/change_json.h"
#include "interop/export_to.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/small_bert.h"
#include "interop/same_files.h"
#include "interop/small_translator.h"
#include "interop/tokenizers/word_piece_import.h"
#include "support/message_of.h"

namespace calque {
namespace {

using Json = nlohmann::json;

struct MaskedNetwork {
  Parameters parameters;
  MaskedLm model;

  MaskedNetwork(const Config& config, int64_t tokens)
      : model(Path(parameters), options_of(config, tokens)) {
    parameters.allocate();
  }
  static MaskedLmOptions options_of(const Config& config, int64_t tokens) {
    MaskedLmOptions options;
    options.encoder = encoder_options(config, tokens);
    options.tied = config.model.tied != Tying::none;
    options.transform = config.model.masked_head;
    return options;
  }
};

// The exported folder of a model with random weights.
struct BertFolder {
  TemporaryFolder folder;
  Tokenizer tokenizer;
  Config config;
  MaskedNetwork network;

  explicit BertFolder(const Config& given = small_bert(), const Tokenizer& pieces = bert_pieces())
      : tokenizer(pieces), config(given), network(given, pieces.size()) {
    fill_randomly(network.parameters);
    export_to("huggingface", {config, {tokenizer}}, network.model, hf());
  }

  std::string hf() const { return folder.path("hf"); }
  Json json(const std::string& name) const { return Json::parse(folder.read("hf/" + name)); }
  void set(const std::string& key, const Json& value) const {
    change_json(folder, "hf/config.json", key, value);
  }
  Imported<MaskedLm> import() const {
    return std::get<Imported<MaskedLm>>(import_huggingface(hf()));
  }
  std::string refusal() const {
    const std::string message = message_of<Error>([&] { export_again(); });
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  void export_again() const {
    const Imported<MaskedLm> from = import();
    const MaskedNetwork again(from.config, from.source().size());
    from.fill(again.model);
    export_to("huggingface", from, again.model, folder.path("again"));
  }
};

TEST_CASE("a BERT that is imported and exported again has the same bytes") {
  Config config = small_bert();
  Tokenizer tokenizer = bert_pieces();
  SUBCASE("as it is") {}
  SUBCASE("cased") {
    config.data.lowercase = false;
    tokenizer = bert_pieces(false);
  }
  SUBCASE("an output table of its own") { config.model.tied = Tying::none; }
  SUBCASE("sinusoids") { config.model.positions = PositionKind::halves; }
  SUBCASE("without positions") { config.model.positions = PositionKind::none; }
  SUBCASE("words") {
    tokenizer = tokenizer_of({"eins", "zwei", "drei"});
    config.tokenizer.kind = TokenizerKind::words;
    config.data.lowercase = false;
  }
  SUBCASE("bytes") {
    tokenizer = Tokenizer(ByteModel(), {.kind = TokenizerKind::bytes});
    config.tokenizer.kind = TokenizerKind::bytes;
    config.data.lowercase = false;
  }
  SUBCASE("SentencePiece") {
    tokenizer = train_tokenizer({"eins zwei drei", "zweiunddreissig"},
                                {.kind = TokenizerKind::unigram}, {.vocabulary_size = 20});
    config.tokenizer.kind = TokenizerKind::unigram;
    config.data.lowercase = false;
  }
  const BertFolder bert(config, tokenizer);
  bert.export_again();
  check_same_files(bert.folder, "hf", "again");
}

TEST_CASE("the tokenizer of a BERT is read from vocab.txt if tokenizer.json is missing") {
  const BertFolder bert;
  std::filesystem::remove(bert.folder.path("hf/tokenizer.json"));
  bert.folder.write("hf/tokenizer_config.json", "{\"do_lower_case\": true}");
  bert.folder.write("hf/vocab.txt", "[UNK]\n[CLS]\n[SEP]\neins\nzwei\n##ei\ndr\n[MASK]\n");
  const Imported<MaskedLm> from = bert.import();
  CHECK(from.config.data.lowercase);
  CHECK(from.config.tokenizer.kind == TokenizerKind::word_piece);
  CHECK(from.source().hash() == bert.tokenizer.hash());
  CHECK(from.source().encode("Eins DREI") == bert.tokenizer.encode("eins drei"));
  SUBCASE("an empty file") {
    bert.folder.write("hf/vocab.txt", "");
    CHECK(bert.refusal() == bert.folder.path("hf/vocab.txt") + ": has no [MASK]");
  }
  SUBCASE("a token twice") {
    bert.folder.write("hf/vocab.txt", "[UNK]\n[CLS]\n[SEP]\neins\neins\n##ei\ndr\n[MASK]\n");
    CHECK(bert.refusal() == bert.folder.path("hf/vocab.txt") + ": has the token eins twice");
  }
  SUBCASE("more tokens than rows") {
    bert.folder.write("hf/vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\nb\nc\nd\ne\n[MASK]\n");
    CHECK(bert.refusal() ==
          bert.folder.path("hf/vocab.txt") + ": has 9 tokens, but the model's table has 8 rows");
  }
  SUBCASE("no [MASK]") {
    bert.folder.write("hf/vocab.txt", "[UNK]\n[CLS]\n[SEP]\neins\nzwei\n##ei\ndr\n");
    CHECK(bert.refusal() == bert.folder.path("hf/vocab.txt") + ": has no [MASK]");
  }
  SUBCASE("bytes that are not UTF-8") {
    bert.folder.write("hf/vocab.txt", "[UNK]\n[CLS]\n[SEP]\n\xff\n[MASK]\n");
    CHECK(bert.refusal().find("which calque cannot hold") != std::string::npos);
  }
}

TEST_CASE("a [MASK] that vocab.txt lacks gets the row after the last token, if there is one") {
  const TemporaryFolder folder;
  const auto mask_row = [&](const std::string& tokens) {
    folder.write("vocab.txt", tokens);
    return read_bert_tokenizer(folder.path("."), 6, MaskToken::optional).rows.back();
  };
  CHECK(mask_row("[UNK]\n[CLS]\n[SEP]\neins\n##ei\n") == 5);
  CHECK(mask_row("[UNK]\n[CLS]\n[SEP]\neins\n##ei") == 5);
  CHECK(mask_row("[UNK]\n[CLS]\n[SEP]\neins\n##ei\ndr\n") == no_row);
}

TEST_CASE("a BERT that calque cannot represent is refused in one line") {
  const BertFolder bert;
  SUBCASE("relative positions") {
    bert.set("position_embedding_type", "relative_key");
    CHECK(bert.refusal() == bert.folder.path("hf/config.json") +
                                ": position_embedding_type is relative_key; calque has absolute");
  }
  SUBCASE("a decoder") {
    bert.set("is_decoder", true);
    CHECK(bert.refusal() == bert.folder.path("hf/config.json") + ": is_decoder must be false");
  }
  SUBCASE("more layers than there are") {
    bert.set("num_hidden_layers", 3);
    CHECK(bert.refusal().ends_with("bert.encoder.layer.2.attention.self.query.weight is missing"));
  }
  SUBCASE("another width") {
    bert.set("hidden_size", 6);
    CHECK(bert.refusal().find("bert.embeddings.position_embeddings.weight") != std::string::npos);
  }
}

}  // namespace
}  // namespace calque
