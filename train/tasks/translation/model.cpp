#include "train/tasks/translation/model.h"

#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

std::variant<Transformer, RecurrentTranslator> make_model(
    const Path& root, const TranslationModel::Options& options) {
  const auto& [config, source, target] = options;
  if (config.kind == ModelConfig::Kind::rnn) {
    return RecurrentTranslator(root, recurrent_options(config, source, target));
  }
  return Transformer(root, transformer_options(config, source, target));
}

}  // namespace

TranslationModel::TranslationModel(const Path& root, const Options& options_)
    : options(options_), model_(make_model(root, options)) {}

}  // namespace calque
