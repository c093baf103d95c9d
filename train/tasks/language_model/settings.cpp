#include "train/tasks/language_model/settings.h"

#include "data/conversations/dataset.h"

namespace calque {

LanguageModelOptions language_model_options(const Config& config, int64_t vocabulary) {
  LanguageModelOptions options;
  options.layer = config.model;
  options.layer.max_positions = config.data.context;
  options.vocabulary = vocabulary;
  options.layers = config.model.layers;
  options.tied = config.model.tied != Tying::none;
  options.output_bias = config.model.output_bias;
  options.output_cap = config.model.output_cap;
  validate(options);
  return options;
}

ExampleSet text_examples(const Dataset& dataset, const WindowOptions& windows) {
  return is_of_conversations(dataset) ? conversation_examples(dataset)
                                      : TextWindows(dataset, windows).examples();
}

WindowOptions window_options(const Config& config, WindowUse use) {
  return {.context = config.data.context,
          .cross_documents = config.data.cross_documents,
          .begin = config.data.begin_windows,
          .use = use,
          .seed = static_cast<uint64_t>(config.training.seed)};
}

}  // namespace calque
