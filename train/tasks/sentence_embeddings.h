#pragma once
// Sentence embeddings: the mean of an encoder's hidden states over a text, scaled to length 1.

#include <string>
#include <variant>
#include <vector>

#include "train/tasks/classification/run.h"
#include "train/tasks/masked_lm/run.h"

namespace calque {

// The mean hidden state over all tokens of each text, <s> and </s> included, divided by its norm as
// in sentence-transformers: [texts][d_model].
std::vector<std::vector<real>> sentence_embeddings(const Encoder& encoder,
                                                   const std::vector<EncodedText>& texts);

// The tasks whose runs embed sentences.
inline constexpr TaskKind embedding_tasks[] = {TaskKind::masked_lm, TaskKind::classification};

// A run that embeds sentences.
class SentenceEncoder {
 public:
  // Throws Error for a run of another task.
  explicit SentenceEncoder(const std::string& place);

  const Encoder& encoder() const;
  // <s>, the text, </s>. A text is cut at the end if it has more tokens than the model's context.
  EncodedText encode(const std::string& text) const;

 private:
  std::variant<MaskedLmRun, ClassificationRun> run_;
};

}  // namespace calque
