// Imports of classifiers from transformers: folders that calque exports, and changed ones.
#include <doctest/doctest.h>

#include <algorithm>
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
#include "support/message_of.h"

namespace calque {
namespace {

using Json = nlohmann::json;

Config small_classifier() {
  Config config = small_bert();
  config.task = TaskKind::classification;
  config.model.pooling = Pooling::cls;
  return config;
}

struct ClassifierNetwork {
  Parameters parameters;
  Classifier model;

  ClassifierNetwork(const Config& config, int64_t tokens, size_t classes)
      : model(Path(parameters), {encoder_options(config, tokens),
                                 {.classes = static_cast<int64_t>(classes),
                                  .pooling = config.model.pooling,
                                  .dense = config.task == TaskKind::classification,
                                  .dropout = config.model.dropout}}) {
    parameters.allocate();
  }
};

// The exported folder of a classifier with random weights.
struct ClassifierFolder {
  TemporaryFolder folder;
  Tokenizer tokenizer;
  Config config;
  std::vector<std::string> labels = {"bad", "fair play", "good"};
  ClassifierNetwork network;

  explicit ClassifierFolder(const Config& given = small_classifier(),
                            const Tokenizer& pieces = bert_pieces())
      : tokenizer(pieces), config(given), network(given, pieces.size(), labels.size()) {
    fill_randomly(network.parameters);
    export_to("huggingface", {config, {tokenizer}, labels}, network.model, hf());
  }

  std::string hf() const { return folder.path("hf"); }
  void set(const std::string& key, const Json& value) const {
    change_json(folder, "hf/config.json", key, value);
  }
  Imported<Classifier> import() const {
    return std::get<Imported<Classifier>>(import_huggingface(hf()));
  }
  ClassifierNetwork filled(const Imported<Classifier>& from) const {
    ClassifierNetwork again(from.config, from.source().size(), from.labels.size());
    from.fill(again.model);
    return again;
  }
  std::string refusal() const {
    const std::string message = message_of<Error>([&] { filled(import()); });
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
};

TEST_CASE("a classifier that is imported and exported again has the same bytes") {
  Config config = small_classifier();
  Tokenizer tokenizer = bert_pieces();
  SUBCASE("as it is") {}
  SUBCASE("two texts") { config.model.segment_embeddings = true; }
  SUBCASE("a tag for each word") { config.task = TaskKind::tagging; }
  SUBCASE("sinusoids") { config.model.positions = PositionKind::interleaved; }
  SUBCASE("words") {
    tokenizer = tokenizer_of({"eins", "zwei", "drei"});
    config.tokenizer.kind = TokenizerKind::words;
    config.data.lowercase = false;
  }
  SUBCASE("SentencePiece") {
    tokenizer = train_tokenizer({"eins zwei drei", "zweiunddreissig"}, {.kind = TokenizerKind::bpe},
                                {.vocabulary_size = 20});
    config.tokenizer.kind = TokenizerKind::bpe;
    config.data.lowercase = false;
  }
  const ClassifierFolder own(config, tokenizer);
  const Imported<Classifier> from = own.import();
  CHECK(from.config.task == config.task);
  CHECK(from.labels == own.labels);
  CHECK(from.config.model.segment_embeddings == config.model.segment_embeddings);
  CHECK(from.config.model.positions == config.model.positions);
  const ClassifierNetwork again = own.filled(from);
  export_to("huggingface", from, again.model, own.folder.path("again"));
  check_same_files(own.folder, "hf", "again");
}

TEST_CASE("the classes of an imported classifier are sorted by their labels") {
  const ClassifierFolder own;
  own.set("id2label", {{"0", "b"}, {"1", "c"}, {"2", "a"}});
  std::vector<std::string> labels = {"a", "b", "c"};
  SUBCASE("named") {}
  SUBCASE("without names") {
    Json config = Json::parse(own.folder.read("hf/config.json"));
    config.erase("id2label");
    config["num_labels"] = 3;
    own.folder.write("hf/config.json", config.dump());
    labels = {"LABEL_0", "LABEL_1", "LABEL_2"};
  }
  const Imported<Classifier> from = own.import();
  CHECK(from.labels == labels);
  const ClassifierNetwork network = own.filled(from);
  const ClassificationHead &theirs = own.network.model.head, &head = network.model.head;
  for (int64_t row = 0; row < 3; ++row) {
    const int64_t before = labels[0] == "a" ? (row + 2) % 3 : row;
    CHECK(head.bias.data()[row] == theirs.bias.data()[before]);
    for (int64_t i = 0; i < 4; ++i) {
      CHECK(head.weight.data()[row * 4 + i] == theirs.weight.data()[before * 4 + i]);
    }
  }
}

TEST_CASE("a classifier of two texts keeps both rows of its segment table") {
  Config config = small_classifier();
  config.model.segment_embeddings = true;
  const ClassifierFolder own(config);
  const ClassifierNetwork network = own.filled(own.import());
  const Encoder &theirs = own.network.model.encoder, &encoder = network.model.encoder;
  REQUIRE(encoder.segment_table.rows() == 2);
  CHECK(std::ranges::equal(encoder.segment_table.span(), theirs.segment_table.span()));
  CHECK(
      std::ranges::equal(encoder.body.positions.table.span(), theirs.body.positions.table.span()));
}

TEST_CASE("a classifier that calque cannot represent is refused in one line") {
  const ClassifierFolder own;
  const std::string file = own.folder.path("hf/config.json");
  SUBCASE("a regression") {
    own.set("id2label", {{"0", "LABEL_0"}});
    CHECK(own.refusal() ==
          file + ": id2label has one class; a classifier of calque has two or more");
  }
  SUBCASE("several classes at once") {
    own.set("problem_type", "multi_label_classification");
    CHECK(own.refusal() == file +
                               ": problem_type is multi_label_classification; calque has "
                               "single_label_classification");
  }
  SUBCASE("three texts") {
    own.set("type_vocab_size", 3);
    CHECK(own.refusal() ==
          file + ": type_vocab_size is 3; a classifier of calque distinguishes two texts");
  }
  SUBCASE("a label twice") {
    own.set("id2label", {{"0", "a"}, {"1", "a"}, {"2", "a (1)"}});
    CHECK(own.refusal() == file + ": id2label has the label 'a (1)' twice");
  }
  SUBCASE("a label of two lines") {
    own.set("id2label", {{"0", "a"}, {"1", "b\nc"}, {"2", "c"}});
    CHECK(own.refusal().find(": id2label has the label 'b") != std::string::npos);
  }
  SUBCASE("numbers with a gap") {
    own.set("id2label", {{"0", "a"}, {"1", "b"}, {"3", "c"}});
    CHECK(own.refusal() == file + ": id2label: 2 is missing");
  }
  SUBCASE("fewer labels than classes") {
    own.set("id2label", {{"0", "a"}, {"1", "b"}});
    CHECK(own.refusal().find("classifier.weight is ") != std::string::npos);
  }
}

}  // namespace
}  // namespace calque
