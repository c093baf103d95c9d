#include "train/config/checks/corpora.h"

#include <algorithm>

#include "train/config/schema.h"

namespace calque {
namespace {

void check_keys(const Corpora& corpora, const std::string& key, Contradictions& all) {
  for (const CorpusConfig& corpus : corpora) {
    if (!corpus.prefix.empty() && corpus.languages.empty()) {
      blame(all, key, "the prefix '{}' needs languages; set data.languages, such as [en, de]",
            corpus.prefix);
    }
    if (corpus.weight != 1 && key != "data.train") {
      blame(all, key, "weight has no effect outside data.train");
    }
    if (corpus.epochs != 0 && key != "data.train") {
      blame(all, key, "epochs has no effect outside data.train");
    }
  }
}

bool is_text(const CorpusConfig& corpus) {
  using enum Toy;
  return !corpus.text.empty() || corpus.toy == toy_text || corpus.toy == toy_analogies;
}

bool is_labelled(const CorpusConfig& corpus) {
  using enum Toy;
  return !corpus.labelled.empty() || corpus.toy == toy_en_de || corpus.toy == toy_en_fr ||
         corpus.toy == listops;
}

bool is_of_images(const CorpusConfig& corpus) {
  return !corpus.images.empty() || corpus.toy == CorpusConfig::Toy::shapes;
}

bool is_pairs(const CorpusConfig& corpus) {
  return !is_text(corpus) && corpus.labelled.empty() && !is_of_images(corpus);
}

// The kind of corpus that a task needs.
struct CorpusKind {
  bool (*fits)(const CorpusConfig& corpus);
  std::string_view example;
};

CorpusKind kind_for(TaskKind task) {
  switch (task) {
    case TaskKind::translation:
      break;
    case TaskKind::language_model:
    case TaskKind::masked_lm:
    case TaskKind::word2vec:
      return {is_text, "{text: FILE} or {toy: toy-text}; pairs are for task: translation"};
    case TaskKind::classification:
      return {is_labelled, "{labelled: FILE} or {toy: toy-en-de}"};
    case TaskKind::images:
      return {is_of_images, "{images: FOLDER_OR_IDX_FILE} or {toy: shapes}"};
  }
  return {is_pairs,
          "pairs, such as {source: train.en, target: train.de}; plain text is for task: "
          "language-model"};
}

void check_kind(const Config& config, const Corpora& corpora, const std::string& key,
                Contradictions& all) {
  const CorpusKind kind = kind_for(config.task);
  if (std::ranges::all_of(corpora, kind.fits)) return;
  blame(all, key, "task: {} needs {}", name_of(task_kinds, config.task), kind.example);
}

void check_windows(const Config& config, Contradictions& all) {
  const TrainingConfig& training = config.training;
  if (training.batch_tokens > 0 && training.batch_tokens < config.data.context) {
    blame(all, "training.batch_tokens", "{} is less than one window of data.context {}",
          training.batch_tokens, config.data.context);
  }
}

}  // namespace

void check_corpora(const Config& config, Contradictions& all) {
  const DataConfig& data = config.data;
  check_kind(config, data.train, "data.train", all);
  check_kind(config, data.validation, "data.validation", all);
  check_kind(config, data.test, "data.test", all);
  if (!no_documents(config)) check_windows(config, all);
  if (!data.languages.empty() && data.languages.size() != 2) {
    blame(all, "data.languages", "must be two, [source, target], not {}", data.languages.size());
  }
  if (data.train.empty()) {
    blame(all, "data.train",
          "missing; name a training corpus, such as {{toy: toy-en-de}} or "
          "{{source: train.en, target: train.de}}");
  }
  check_keys(data.train, "data.train", all);
  if (!data.train.empty() &&
      std::ranges::all_of(data.train, [](const CorpusConfig& c) { return c.epochs > 0; })) {
    blame(all, "data.train",
          "every corpus ends after its epochs; remove `epochs` from one corpus, so that it is used "
          "in all later epochs");
  }
  check_keys(data.validation, "data.validation", all);
  check_keys(data.test, "data.test", all);
}

}  // namespace calque
