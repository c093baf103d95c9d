#pragma once
// Texts as the examples of classification: <s> a </s>, or <s> a </s> b </s> for two texts.

#include <string>
#include <vector>

#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/classes/text_data.h"
#include "train/tasks/sentence_embeddings.h"

namespace calque {

extern const TextClasses classes_of_texts;

// The ids, and the kind of each: 0 for the first text and its end, 1 for the second. The longer
// text is cut until the example has at most `context` ids.
Example encode_texts(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                     int64_t context);

// Embeds texts with the run's encoder.
SentenceEncoder sentence_encoder(const TextClassifierRun& run);

}  // namespace calque
