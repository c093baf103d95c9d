#include "train/config/checks/files.h"

#include <fmt/format.h>

#include <filesystem>

#include "data/corpora/corpus.h"

namespace calque {
namespace {

std::vector<std::string> files_of(const CorpusConfig& corpus) {
  std::vector<std::string> files = corpus.text;
  for (const auto* more : {&corpus.conversations, &corpus.preferences}) {
    files.insert(files.end(), more->begin(), more->end());
  }
  if (!corpus.prefix.empty()) files = files_of_prefix(corpus.prefix, corpus.languages).paths;
  for (const std::string& file : {corpus.source, corpus.target, corpus.file, corpus.tsv,
                                  corpus.labelled, corpus.tagged, corpus.images, corpus.labels}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

// Returns how many of the files exist.
size_t look_for(const std::vector<std::string>& files, const std::string& key,
                MissingFiles& missing) {
  size_t found = 0;
  for (const std::string& file : files) {
    std::error_code ignored;  // such as a folder that may not be entered
    if (std::filesystem::exists(file, ignored)) {
      ++found;
    } else if (!file.empty()) {
      missing.texts.push_back(fmt::format("{}: {}: no such file", key, file));
    }
  }
  return found;
}

}  // namespace

MissingFiles missing_files(const Config& config) {
  MissingFiles missing;
  const DataConfig& data = config.data;
  bool some = false;
  const auto look_at = [&](const Corpora& corpora, const std::string& key) {
    for (const CorpusConfig& corpus : corpora) {
      const size_t found = look_for(files_of(corpus), key, missing);
      some = some || found > 0 || corpus.toy != CorpusConfig::Toy::none;
    }
  };
  look_at(data.train, "data.train");
  look_at(data.validation, "data.validation");
  look_at(data.test, "data.test");
  missing.all_of_data = !some;
  look_for({data.back_translate.run}, "data.back_translate.run", missing);
  look_for(data.back_translate.text, "data.back_translate.text", missing);
  look_for({data.distill.run}, "data.distill.run", missing);
  look_for({data.terms.file}, "data.terms.file", missing);
  look_for({config.training.teacher}, "training.teacher", missing);
  look_for(config.tokenizer.files, "tokenizer.files", missing);
  const EmbeddingConfig& embeddings = config.model.embeddings;
  look_for({embeddings.source, embeddings.target}, "model.embeddings", missing);
  look_for({config.model.init_from}, "model.init_from", missing);
  return missing;
}

}  // namespace calque
