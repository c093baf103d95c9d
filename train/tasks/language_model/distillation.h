#pragma once
// Word-level distillation of a language model (Hinton et al. 2015): at each token that it is
// trained to predict, the model also learns the probabilities q of a teacher,
//
//   loss = (1 - share) cross-entropy + share KL(q || p)
//
// A corpus with `teacher: false` is learned by the cross-entropy alone.

#include <span>

#include "data/batches/stream.h"
#include "nn/models/language_model.h"
#include "train/task.h"
#include "train/tasks/language_model/run.h"

namespace calque {

class TextTeacher {
 public:
  // The run training.teacher; beside an adapter, in the form of its base. Throws an Error if it is
  // none, or has another tokenizer.
  TextTeacher(const Config& config, const Tokenizer& tokenizer);

  // The examples of data.train, with a third column: whether the teacher teaches them, 1 or 0.
  ExampleSet marked(ExampleSet examples) const;

  // The loss of such examples in training, and the accuracy and log-probability of the expected
  // tokens.
  SummedLoss loss(const LanguageModel& model, std::span<const Example> examples,
                  double label_smoothing) const;

 private:
  LanguageModelRun run_;
  std::vector<bool> teaches_;  // each corpus
  real share_;
};

}  // namespace calque
