#pragma once
// The words of sentences as the examples of tagging. An example is a window, <s> words </s>; a
// sentence that is longer than data.context has several.

#include <string>
#include <vector>

#include "train/tasks/classes/text_data.h"

namespace calque {

extern const TextClasses classes_of_words;

// The windows of a sentence: their ids, and for each word the index of its first subword among the
// ids. A word that exceeds a window is cut.
std::vector<Example> word_windows(const std::vector<std::string>& words, const Tokenizer& tokenizer,
                                  int64_t context);

}  // namespace calque
