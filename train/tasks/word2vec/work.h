#pragma once
// A micro-batch of slices of a text, each with the predictions that are made in it.

#include <memory>
#include <string>
#include <vector>

#include "data/words/contexts.h"
#include "nn/models/word2vec.h"
#include "train/task.h"

namespace calque {

class Word2VecWork : public Work {
 public:
  // Refers to the model. `slices` are examples of `text`, and `numbers` their indices.
  Word2VecWork(const Word2Vec& model, std::vector<Example> slices, std::vector<int64_t> numbers,
               std::shared_ptr<const WordContexts> text);

  SummedLoss forward() const override;
  WorkSize size() const override;  // the tokens are the words of the text
  Works split(int64_t chunks) const override;
  std::string where() const override;

 private:
  const Word2Vec& model_;
  const std::vector<Example> slices_;
  const std::vector<int64_t> numbers_;
  const std::shared_ptr<const WordContexts> text_;
};

}  // namespace calque
