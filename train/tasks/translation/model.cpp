#include "train/tasks/translation/model.h"

#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

std::variant<Transformer, RecurrentTranslator> make_model(Parameters& parameters,
                                                          const ModelConfig& config, int64_t source,
                                                          int64_t target) {
  const Path root(parameters);
  if (config.kind == ModelConfig::Kind::rnn) {
    return RecurrentTranslator(root, recurrent_options(config, source, target));
  }
  return Transformer(root, transformer_options(config, source, target));
}

}  // namespace

TranslationModel::TranslationModel(const ModelConfig& config, int64_t source_vocabulary,
                                   int64_t target_vocabulary)
    : model_(make_model(parameters, config, source_vocabulary, target_vocabulary)) {
  parameters.allocate();
}

}  // namespace calque
