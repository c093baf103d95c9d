#include "train/tasks/translation/tokenizers.h"

#include "core/error.h"
#include "core/random.h"
#include "data/terms/term_marks.h"
#include "data/tokenizers/bpe_dropout.h"
#include "train/tasks/translation/context.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/synthetic/training_corpora.h"
#include "train/tasks/translation/terms/marked_corpora.h"

namespace calque {
namespace {

constexpr int source_column = 0, target_column = 1;

Tokenizer trained_on(const Config& config, const std::vector<CorpusSource>& sources,
                     const std::vector<int>& columns) {
  const std::vector<Corpus> corpora(sources.begin(), sources.end());
  std::vector<std::string> texts = sample_texts(corpora, columns, config.tokenizer.training_pairs,
                                                static_cast<uint64_t>(config.training.seed));
  TokenizerTraining training = tokenizer_training(config.tokenizer);
  if (has_tagged_sources(config.data)) training.symbols.emplace_back(back_translation_tag);
  if (marks_terms(config.data)) {
    training.symbols.insert(training.symbols.end(), term_marks.begin(), term_marks.end());
  }
  if (config.data.preceding_sentences > 0) training.symbols.emplace_back(context_mark);
  return trained_tokenizer(config, std::move(texts), training);
}

}  // namespace

Tokenizers open_translation_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start,
                                       const std::vector<CorpusSource>& corpora) {
  const auto train = [&](const std::vector<int>& columns) {
    return [&config, &corpora, columns] { return trained_on(config, corpora, columns); };
  };
  if (config.tokenizer.joint) {
    const Tokenizer joint =
        open_tokenizers(config, run, start, {{"", train({source_column, target_column})}}).front();
    return {joint, joint};
  }
  const std::vector<Tokenizer> two =
      open_tokenizers(config, run, start,
                      {{".source", train({source_column})}, {".target", train({target_column})}});
  return {two[0], two[1]};
}

Tokenizers make_tokenizers(const Config& config) {
  return open_translation_tokenizers(config, {}, {TaskStart::Purpose::plan},
                                     corpus_sources(config.data.train, config.data, Split::train));
}

ExampleSet with_bpe_dropout(ExampleSet set, const Config& config, const Tokenizers& tokenizers) {
  const double probability = config.tokenizer.bpe_dropout;
  if (probability == 0) return set;
  const auto dropout_of = [&](const Tokenizer& tokenizer) {
    const SentencePieceModel* model = tokenizer.sentence_piece();
    if (!model || !model->is_bpe()) {
      fail("tokenizer.bpe_dropout needs a BPE model, but tokenizer.files has another kind");
    }
    return BpeDropout(*model, probability);
  };
  set.read = [read = std::move(set.read), longest = config.data.max_length,
              seed = static_cast<uint64_t>(config.training.seed),
              dropouts = std::vector{dropout_of(tokenizers.source), dropout_of(tokenizers.target)}](
                 int64_t epoch, int64_t number, Example& example) {
    constexpr uint32_t uses[] = {0x0da7a004, 0x0da7a005};
    read(epoch, number, example);
    for (size_t column = 0; column < dropouts.size(); ++column) {
      Random random(
          Stream{seed, static_cast<uint32_t>(epoch), static_cast<uint32_t>(number), uses[column]});
      std::vector<int32_t> other = example[column];
      dropouts[column].resegment(other, random);
      if (longest == 0 || std::ssize(other) <= longest) example[column] = std::move(other);
    }
  };
  return set;
}

}  // namespace calque
