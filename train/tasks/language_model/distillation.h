#pragma once
// Word-level distillation of a language model (Hinton et al. 2015): at each token that it is
// trained to predict, the model also learns the probabilities q of a teacher,
//
//   loss = (1 - share) cross-entropy + share KL(q || p)
//
// A corpus with `teacher: false` is learned by the cross-entropy alone.

#include <optional>
#include <span>

#include "data/batches/stream.h"
#include "nn/models/language_model.h"
#include "train/task.h"
#include "train/tasks/language_model/run.h"

namespace calque {

class TextTeacher {
 public:
  // The run training.teacher, for a model that learns. Beside an adapter it has the form of the
  // base; if its weights are those of the base, both are in the same memory. Throws an Error if it
  // is no run, or has another tokenizer.
  TextTeacher(const Config& config, const Tokenizer& tokenizer, TaskModel<LanguageModel>& learner);

  // The examples of data.train, with a third column: whether the teacher teaches them, 1 or 0.
  ExampleSet marked(ExampleSet examples) const;

  // The loss of such examples in training, and the accuracy and log-probability of the expected
  // tokens.
  SummedLoss loss(const LanguageModel& model, std::span<const Example> examples,
                  double label_smoothing) const;

 private:
  const LanguageModel& model() const { return base_ ? *base_ : run_->model(); }

  std::optional<LanguageModel> base_;    // of the learner
  std::optional<LanguageModelRun> run_;  // unless the base is the teacher
  std::vector<bool> teaches_;            // each corpus
  real share_;
};

}  // namespace calque
