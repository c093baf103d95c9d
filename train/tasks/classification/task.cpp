// task: classification. An encoder is trained to name the class of a text or of a pair of texts.
#include "train/tasks/classification/task.h"

#include <algorithm>

#include "data/tokenizers/vocabulary.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/classes/text_task.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/sentence_embeddings.h"

namespace calque {

extern const TaskDescriptor classification_task;

namespace {

// The rows of a toy corpus are expressions labelled with their values (listops), or sentences
// labelled with their languages.
LabelledFile read_texts(const CorpusConfig& corpus, const DataConfig& data, Split split) {
  if (!corpus.labelled.empty()) return read_labelled_file(corpus.labelled, data.invalid_utf8);
  const ToyLanguage language = toy_language(corpus);
  LabelledFile file;
  for (const auto& [source, target] :
       language.pairs(corpus.split.value_or(split), corpus.pairs, uint64_t(corpus.seed))) {
    if (corpus.toy == CorpusConfig::Toy::listops) {
      file.rows.push_back({{source}, {target}});
      continue;
    }
    file.rows.push_back({{source}, {language.source_language()}});
    file.rows.push_back({{target}, {language.target_language()}});
  }
  return file;
}

Tensor text_vectors(const Classifier& model, std::span<const Example> texts, Mode mode) {
  const PackedExamples packed = pack(texts);
  return model.pooled(packed.columns[0], packed.columns[1], packed.segments, mode);
}

SentenceEncoder open_classification_encoder(const RunPlace& place) {
  return sentence_encoder(open_text_classifier(TaskKind::classification, place));
}

}  // namespace

SentenceEncoder sentence_encoder(const TextClassifierRun& run) {
  return sentence_encoder(
      {run.network, &run.model().encoder}, run.model().encoder.options.vocabulary,
      run.config.data.context,
      [tokenizer = run.tokenizer](const std::string& text) { return tokenizer.encode(text); });
}

Example encode_texts(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                     int64_t context) {
  std::vector<std::vector<int32_t>> parts;
  int64_t size = 1;
  for (const std::string& text : texts) {
    parts.push_back(tokenizer.encode(text));
    size += std::ssize(parts.back()) + 1;
  }
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  for (; size > context; --size) {
    std::vector<int32_t>& longest = *std::ranges::max_element(parts, shorter);
    if (longest.empty()) break;
    longest.pop_back();
  }
  std::vector<int32_t> ids = {begin_id}, kinds = {0};
  for (size_t part = 0; part < parts.size(); ++part) {
    ids.insert(ids.end(), parts[part].begin(), parts[part].end());
    ids.push_back(end_id);
    kinds.resize(ids.size(), static_cast<int32_t>(part));
  }
  return {ids, kinds};
}

const TextClasses classes_of_texts = {
    .task = TaskKind::classification,
    .row = "example",
    .labelled = "example",
    .skipped = "line",
    .of_words = false,
    .read = read_texts,
    .encode =
        [](const std::vector<std::string>& texts, const Tokenizer& tokenizer, int64_t context) {
          return std::vector<Example>{encode_texts(texts, tokenizer, context)};
        },
    .vectors = text_vectors,
    .metrics = class_metrics,
};

const TaskDescriptor classification_task = {
    .kind = TaskKind::classification,
    .make = make_text_task_of<classes_of_texts>,
    .metrics = class_metrics,
    .contradictions = text_classifier_contradictions,
    .open_encoder = open_classification_encoder,
};

}  // namespace calque
