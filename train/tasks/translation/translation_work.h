#pragma once
// A micro-batch of sentence pairs, on which a translator is trained with teacher forcing.

#include <memory>
#include <vector>

#include "data/dataset.h"
#include "data/pair_batch.h"
#include "nn/translator.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

class TranslationWork : public Work {
 public:
  // `lines` has the numbers of the pairs in `dataset`, for error messages. Both may be empty.
  TranslationWork(Translator model, const TrainingConfig& training, PairBatch batch,
                  std::vector<int64_t> lines, std::shared_ptr<const Dataset> dataset);

  SummedLoss forward() const override;
  WorkSize size() const override;
  Works split(int64_t chunks) const override;
  std::string where() const override;

  const PairBatch& batch() const { return batch_; }

 private:
  const Translator model_;
  const TrainingConfig& training_;
  const PairBatch batch_;
  const std::vector<int64_t> lines_;
  const std::shared_ptr<const Dataset> dataset_;
};

// Returns the index of the first pair of each chunk; there are at most `chunks` chunks. A pair
// belongs to the chunk that contains the middle of its target tokens. A chunk has at most 17/16 of
// an equal share of the tokens, or one pair.
std::vector<int64_t> chunk_begins(const Segments& targets, int64_t chunks);

}  // namespace calque
