#include "train/tasks/language_model/scoring.h"

#include "data/tokenizers/vocabulary.h"
#include "decode/score.h"

namespace calque {

std::vector<int32_t> document_ids(const LanguageModelRun& run, const std::string& text) {
  std::vector<int32_t> ids = {begin_id};
  run.tokenizer.encode_document(text, ids);
  ids.push_back(end_id);
  return ids;
}

std::vector<std::vector<real>> score_documents(const LanguageModelRun& run,
                                               const std::vector<std::vector<int32_t>>& documents) {
  return token_log_probabilities(run.model(), documents, {.context = run.config.data.context});
}

}  // namespace calque
