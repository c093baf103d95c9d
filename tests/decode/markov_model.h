#pragma once
// The smallest model that can be decoded: the scores of the next token are the row of the last
// token in a table. Its best texts can be worked out by hand.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "decode/search/step_decoder.h"

namespace calque {

class MarkovModel {
 public:
  // All scores are 0.
  explicit MarkovModel(int64_t vocabulary) : table_({vocabulary, vocabulary}) {
    std::ranges::fill(table_.span(), real(0));
  }

  // The scores of the tokens that follow `id`. Changes also affect existing DecodingModels.
  std::span<real> row(int32_t id) const {
    return {table_.data() + id * table_.cols(), static_cast<size_t>(table_.cols())};
  }
  void prefer(int32_t id, int32_t next) const { row(id)[static_cast<size_t>(next)] = 5; }

  // This model must outlive the result.
  DecodingModel decoding() const {
    DecodingModel model;
    model.start = [this](std::span<const size_t>) { return std::make_unique<Decoder>(*this); };
    model.vocabulary = table_.cols();
    return model;
  }

 private:
  class Decoder final : public StepDecoder {
   public:
    explicit Decoder(const MarkovModel& model) : model_(model) {}

    Tensor step(const DecodingStep& step) override {
      Tensor scores({std::ssize(step.ids), model_.table_.cols()});
      real* out = scores.data();
      for (const int32_t id : step.ids) out = std::ranges::copy(model_.row(id), out).out;
      return scores;
    }

   private:
    const MarkovModel& model_;
  };

  Tensor table_;
};

}  // namespace calque
