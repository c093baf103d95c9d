#include "train/tasks/text/tokenizer.h"

#include "train/tasks/language_model/settings.h"

namespace calque {

Tokenizer open_text_tokenizer(const Config& config, const RunFolder& run, const TaskStart& start) {
  const auto train = [&] {
    TokenizerTraining training = tokenizer_training(config.tokenizer);
    training.newline = has_line_ends(config.data);
    return trained_tokenizer(
        config,
        sample_documents(
            document_sources(config.data.train, config.data, CorpusConfig::Split::train),
            config.tokenizer.training_pairs, static_cast<uint64_t>(config.training.seed)),
        training);
  };
  return open_tokenizers(config, run, start, {{"", train}}).front();
}

}  // namespace calque
