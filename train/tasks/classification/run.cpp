#include "train/tasks/classification/run.h"

#include "train/tasks/classification/tokenizer.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {

// The embedding table has a row for [MASK], so that it can start from that of a masked language
// model.
ClassifierOptions classifier_options(const Config& config, int64_t vocabulary, int64_t classes) {
  ClassifierOptions options;
  options.encoder.layer = config.model;
  options.encoder.layer.max_positions = config.data.context;
  options.encoder.vocabulary = vocabulary + 1;
  options.encoder.layers = config.model.layers;
  options.encoder.segment_kinds = config.model.segment_embeddings ? 2 : 0;
  options.head = {
      .classes = classes, .pooling = config.model.pooling, .dropout = config.model.dropout};
  return options;
}

ClassificationRun open_classification_run(const std::string& place) {
  return open_run_of<ClassificationRun>(
      TaskKind::classification, place, [](ClassificationRun& run) {
        run.tokenizer = open_classification_tokenizer(run.config, run.folder, {}, {});
        run.labels = load_labels(run.folder);
        return std::pair(
            classifier_options(run.config, run.tokenizer.size(), std::ssize(run.labels)),
            hash_of({run.tokenizer}));
      });
}

}  // namespace calque
