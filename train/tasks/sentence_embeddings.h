#pragma once
// Sentence embeddings: the mean of an encoder's hidden states over a text, scaled to length 1.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nn/models/encoder.h"
#include "train/tasks/example_works.h"

namespace calque {

// The mean hidden state over all tokens of each text, <s> and </s> included, divided by its norm as
// in sentence-transformers: [texts][d_model].
std::vector<std::vector<real>> sentence_embeddings(const Encoder& encoder,
                                                   const std::vector<Example>& texts);

// A run that embeds sentences.
struct SentenceEncoder {
  std::shared_ptr<const Encoder> encoder;  // shares the ownership of the run
  // <s>, the text, </s>, and a second column of their kinds. A text is cut at the end if it has
  // more tokens than the model's context.
  std::function<Example(const std::string& text)> encode;
};

template <class Run, class Encode>
SentenceEncoder sentence_encoder(Run opened, Encode encode) {
  const auto run = std::make_shared<const Run>(std::move(opened));
  return {{run, &run->model().encoder},
          [=](const std::string& text) { return encode(*run, text); }};
}

}  // namespace calque
