#include "train/tasks/classification/tokenizer.h"

#include <filesystem>
#include <optional>

#include "core/error.h"
#include "train/config/tasks.h"
#include "train/tasks/run_tokenizers.h"
#include "train/weights/trained_run.h"

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

Tokenizer open_classification_tokenizer(const Config& config, const RunFolder& run,
                                        const TaskStart& start,
                                        const std::vector<LabelledCorpus>& corpora) {
  const auto make = [&] {
    if (const auto pretrained = pretrained_tokenizer(config)) return *pretrained;
    std::vector<std::string> texts;
    for (const LabelledCorpus& corpus : corpora) {
      for (const LabelledText& row : corpus.rows) {
        texts.insert(texts.end(), row.texts.begin(), row.texts.end());
      }
    }
    return trained_tokenizer(config, std::move(texts), tokenizer_training(config.tokenizer));
  };
  return open_tokenizers(config, run, start, {{"", make}}).front();
}

}  // namespace calque
