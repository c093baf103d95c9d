// task: word2vec. Word vectors are trained to predict neighbouring words of plain text.
#include "train/tasks/text/task.h"

#include "train/tasks/descriptor.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/word2vec/evaluation.h"
#include "train/tasks/word2vec/neighbours.h"
#include "train/tasks/word2vec/run.h"

namespace calque {

extern const TaskDescriptor word2vec_task;

namespace {

class Word2VecTask : public TextTask<Word2Vec> {
 public:
  Word2VecTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : TextTask(config, run, start, word2vec_options) {}

  std::span<const MetricInfo> metrics() const override { return word2vec_task.metrics(); }

 private:
  ExampleTraining examples() const override {
    return {.set = word_contexts(data_, tokenizer_, context_options(config_)),
            .forward = [this](std::span<const Example> slices) {
              return context_loss(network_.model, slices);
            }};
  }

  Scores scores(BatchShare share) const override {
    const LossSums sums =
        evaluate_word2vec(network_.model, *validation_, config_, tokenizer_, share);
    if (!share.is_rank_zero()) return {word2vec_values(sums), {}};
    return {word2vec_values(sums),
            neighbour_samples({network_.model.vectors, tokenizer_}, config_.logging.samples)};
  }
};

std::span<const MetricInfo> word2vec_metrics() {
  static const std::vector<MetricInfo> all = {
      {"loss", "loss", "loss", "Loss", "nats per prediction",
       "What training minimises: the loss of the expected word and its negatives together.",
       ValueFormat::number, 4, Better::lower},
      {"accuracy", "accuracy", "acc", "Accuracy", "",
       "How often the expected word has a larger dot product than each of its negatives.",
       ValueFormat::percent, 1, Better::higher, false, true}};
  return all;
}

std::vector<Contradiction> word2vec_contradictions(const Config& config) {
  if (config.tokenizer.kind == TokenizerKind::words) return {};
  return {{"tokenizer.kind", "task: word2vec needs words"}};
}

}  // namespace

const TaskDescriptor word2vec_task = {
    .kind = TaskKind::word2vec,
    .make = make_task_of<Word2VecTask>,
    .metrics = word2vec_metrics,
    .contradictions = word2vec_contradictions,
};

}  // namespace calque
