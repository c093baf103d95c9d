#include "train/tasks/text/texts.h"

#include "data/documents/dataset.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/language_model/settings.h"

namespace calque {

Dataset load_training_texts(const DataConfig& data, const Tokenizer& tokenizer,
                            const std::string& cache_folder) {
  return load_documents(document_sources(data.train, data, CorpusConfig::Split::train), tokenizer,
                        {.drop_duplicates = data.drop_duplicates,
                         .invalid = filter_options(data).invalid,
                         .cache_folder = cache_folder});
}

Dataset load_texts(const DataConfig& data, const Corpora& corpora, CorpusConfig::Split split,
                   const Tokenizer& tokenizer, const std::string& cache_folder) {
  return load_documents(document_sources(corpora, data, split), tokenizer,
                        {.invalid = filter_options(data).invalid, .cache_folder = cache_folder});
}

}  // namespace calque
