#include "train/tasks/classes/text_classifier.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "core/error.h"
#include "train/config/tasks.h"
#include "train/tasks/classes/weights.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {
namespace {

// The tokenizer of the masked language model whose run or checkpoint model.init_from names; nothing
// if it names something else. Throws an Error if the tokenizer settings differ.
std::optional<Tokenizer> pretrained_tokenizer(const Config& config) {
  const std::string& from = config.model.init_from;
  if (from.empty() || !std::filesystem::is_directory(from)) return std::nullopt;
  const RunLocation origin = find_run(from);
  if (lacks(origin.config, Feature::masks)) return std::nullopt;
  const TokenizerOptions own = tokenizer_options(config), theirs = tokenizer_options(origin.config);
  if (own.kind != theirs.kind || own.lowercase != theirs.lowercase || own.nfkc != theirs.nfkc) {
    fail(
        "model.init_from: this run needs the tokenizer settings of {}; set tokenizer.kind: "
        "{}, data.lowercase: {} and data.nfkc: {}, or give tokenizer.files",
        from, name_of(tokenizer_kinds, theirs.kind), theirs.lowercase, theirs.nfkc);
  }
  return Tokenizer::load(Tokenizer::file_name(origin.folder.tokenizer(), theirs.kind), theirs);
}

}  // namespace

// The embedding table has a row for [MASK], so that it can start from that of a masked language
// model.
ClassifierOptions classifier_options(const Config& config, int64_t vocabulary, int64_t classes) {
  ClassifierOptions options;
  options.encoder.layer = config.model;
  options.encoder.layer.max_positions = config.data.context;
  options.encoder.vocabulary = vocabulary + 1;
  options.encoder.layers = config.model.layers;
  options.encoder.segment_kinds = config.model.segment_embeddings ? 2 : 0;
  options.head = {.classes = classes,
                  .pooling = config.model.pooling,
                  .dense = has(config, Feature::pooling),
                  .dropout = config.model.dropout};
  return options;
}

Tokenizer open_encoder_tokenizer(const Config& config, const RunFolder& run, const TaskStart& start,
                                 const std::function<std::vector<std::string>()>& texts) {
  const auto make = [&] {
    if (const auto pretrained = pretrained_tokenizer(config)) return *pretrained;
    return trained_tokenizer(config, texts(), tokenizer_training(config.tokenizer));
  };
  return open_tokenizers(config, run, start, {{"", make}}).front();
}

TextClassifierRun open_text_classifier(TaskKind task, const RunPlace& place) {
  return open_run_of<TextClassifierRun>(task, place, [](TextClassifierRun& run) {
    run.tokenizer = open_encoder_tokenizer(run.config, run.folder, {}, {});
    run.labels = load_labels(run.folder);
    return std::pair(classifier_options(run.config, run.tokenizer.size(), std::ssize(run.labels)),
                     hash_of({run.tokenizer}));
  });
}

std::vector<Contradiction> text_classifier_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  if (config.data.context < 4) {
    all.push_back({"data.context", fmt::format("an example of task: {} needs at least 4 tokens",
                                               name_of(task_kinds, config.task))});
  }
  std::ranges::copy(class_weight_contradictions(config), std::back_inserter(all));
  if (config.training.batch_tokens > 0 && config.training.batch_tokens < config.data.context) {
    all.push_back({"training.batch_tokens",
                   fmt::format("{} is less than data.context {}, the longest example",
                               config.training.batch_tokens, config.data.context)});
  }
  return all;
}

}  // namespace calque
