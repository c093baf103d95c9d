#pragma once
// A reference to a translation model of either kind, with the interface that training and decoding
// use.

#include <span>
#include <variant>

#include "nn/models/recurrent_translator.h"
#include "nn/models/transformer.h"

namespace calque {

class Translator {
 public:
  Translator(const Transformer& model) : model_(&model) {}
  Translator(const RecurrentTranslator& model) : model_(&model) {}

  // Exactly one of the two pointers is not null.
  const Transformer* transformer() const;
  const RecurrentTranslator* recurrent() const;

  // See Transformer.
  Tensor encode(std::span<const int32_t> ids, const Segments& segments, Mode mode,
                AttentionRecord* record = nullptr) const;
  Tensor decode(std::span<const int32_t> ids, const Segments& segments, const Tensor& memory,
                const Segments& memory_segments, Mode mode,
                AttentionRecord* record = nullptr) const;
  TokenLoss loss(std::span<const int32_t> source, const Segments& source_segments,
                 std::span<const int32_t> decoder_input, std::span<const int32_t> expected,
                 const Segments& target_segments, real label_smoothing, Mode mode,
                 real agreement = 0) const;
  const OutputProjection& output() const;

  // Whether sources end in </s>.
  bool source_end() const;

  // The maximum length of a sentence, including </s> or <s>; 0 if there is no limit.
  int64_t learned_positions() const;

 private:
  std::variant<const Transformer*, const RecurrentTranslator*> model_;
};

}  // namespace calque
