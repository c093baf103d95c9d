#pragma once
// A micro-batch of sentence pairs: teacher forcing through the Transformer.

#include <memory>
#include <vector>

#include "data/dataset.h"
#include "data/pair_batch.h"
#include "nn/transformer.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

class TranslationWork : public Work {
 public:
  // `lines` are those of the pairs in the dataset, which names them in messages; it may be absent.
  TranslationWork(const Transformer& model, const TrainingConfig& training, PairBatch batch,
                  std::vector<int64_t> lines, std::shared_ptr<const Dataset> dataset);

  SummedLoss forward() const override;
  WorkSize size() const override;
  Works split(int64_t chunks) const override;
  std::string where() const override;

  const PairBatch& batch() const { return batch_; }

 private:
  const Transformer& model_;
  const TrainingConfig& training_;
  const PairBatch batch_;
  const std::vector<int64_t> lines_;
  const std::shared_ptr<const Dataset> dataset_;
};

// The numbers of the pairs that each of at most `chunks` chunks begins with. A pair goes where its
// middle lies among the target tokens, and no chunk has more than its share of them and a sixteenth
// of it, unless it is a single pair.
std::vector<int64_t> chunk_begins(const Segments& targets, int64_t chunks);

}  // namespace calque
