#pragma once
// Word-level distillation (Hinton et al. 2015; Kim and Rush 2016): at each target token, a model is
// also trained to predict the probabilities q of a teacher,
//
//   loss = (1 - share) cross-entropy + share KL(q || p)

#include <span>

#include "data/datasets/token_store.h"
#include "train/task.h"
#include "train/tasks/translation/run.h"

namespace calque {

class WordTeacher {
 public:
  // The run training.teacher. Throws an Error if it is none, or has other tokenizers.
  WordTeacher(const Config& config, const Tokenizers& tokenizers);

  // The loss of pairs in training, and the accuracy and log-probability of the expected tokens.
  SummedLoss loss(Translator model, std::span<const Example> pairs, double label_smoothing) const;

 private:
  TranslationRun run_;
  real share_;
};

}  // namespace calque
