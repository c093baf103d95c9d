#pragma once
// A micro-batch of sentence pairs, on which a translator is trained with teacher forcing.

#include <memory>
#include <vector>

#include "data/batches/pair_batch.h"
#include "data/datasets/dataset.h"
#include "nn/models/translator.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

class TranslationWork : public Work {
 public:
  // `lines` has the numbers of the pairs' lines for dataset->where(), which messages show. `lines`
  // may be empty if `dataset` is null.
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

// Divides the pairs into at most `chunks` chunks and returns the index of the first pair of each. A
// chunk but the last ends before a pair whose middle target token is in the next of `chunks` equal
// shares of the target tokens, and before it would exceed 17/16 of such a share. It has at least
// one pair.
std::vector<int64_t> chunk_begins(const Segments& targets, int64_t chunks);

}  // namespace calque
