#pragma once
// The log-probabilities that a trained language model assigns to given texts.

#include <span>
#include <string>
#include <vector>

#include "train/tasks/language_model/run.h"

namespace calque {

// The ids of a text as a document: <s>, its tokens, </s>.
std::vector<int32_t> document_ids(const LanguageModelRun& run, const std::string& text);

// The log-probability of each token of each document after its first, </s> included.
std::vector<std::vector<real>> score_documents(const LanguageModelRun& run,
                                               const std::vector<std::vector<int32_t>>& documents);

}  // namespace calque
