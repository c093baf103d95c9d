// task: word2vec. Word vectors are trained to predict neighbouring words of plain text.
#include "data/files/content_hash.h"
#include "train/config/schema.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/example_works.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/pretrained_embeddings.h"
#include "train/tasks/shared_validation.h"
#include "train/tasks/task_data.h"
#include "train/tasks/text/texts.h"
#include "train/tasks/text/tokenizer.h"
#include "train/tasks/word2vec/evaluation.h"
#include "train/tasks/word2vec/neighbours.h"
#include "train/tasks/word2vec/run.h"
#include "train/tasks/word2vec/work.h"

namespace calque {

extern const TaskDescriptor word2vec_task;

namespace {

class Word2VecTask : public Task {
 public:
  Word2VecTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : config_(config),
        tokenizer_(open_text_tokenizer(config_, run, start)),
        network_(word2vec_options(config_, tokenizer_.size())) {
    freeze_embeddings(config_, network_.parameters);
    if (start.purpose == TaskStart::Purpose::use) return;
    const std::string cache = cache_folder(config_, run, start);
    if (!config_.data.validation.empty()) {
      validation_ = load_texts(config_.data, config_.data.validation,
                               CorpusConfig::Split::validation, tokenizer_, cache);
    }
    data_ = load_training_texts(config_.data, tokenizer_, cache);
  }

  Parameters& parameters() override { return network_.parameters; }
  std::span<const MetricInfo> metrics() const override { return word2vec_task.metrics(); }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::string data_description() const override {
    return calque::data_description(data_, tokenizer_.size());
  }

  std::unique_ptr<WorkStream> training(StreamPosition from) override {
    const auto contexts = std::make_shared<const WordContexts>(
        data_, tokenizer_.size(), context_options(config_), tokenizer_.newline_id().value_or(-1));
    const ExampleSet examples = contexts->examples();
    const MakeWork make = [this, contexts](const ExampleBatch& batch) -> std::unique_ptr<Work> {
      return std::make_unique<Word2VecWork>(network_.model, batch.examples, batch.numbers,
                                            contexts);
    };
    return std::make_unique<ExampleWorks>(examples, examples.costs, batch_options(config_.training),
                                          from, make);
  }

  std::vector<std::string> load_pretrained() override {
    return load_embeddings(config_, tokenizer_, data_, network_.parameters);
  }

  bool validates() const override { return validation_.has_value(); }

  std::optional<Scores> validate(Communicator& ranks, const std::function<bool()>& stop) override {
    return shared_validation(ranks, stop, [&](const BatchShare& share) -> Scores {
      const LossSums sums =
          evaluate_word2vec(network_.model, *validation_, config_, tokenizer_, share);
      return {word2vec_values(sums),
              share.is_rank_zero()
                  ? neighbour_samples({network_.model.vectors, tokenizer_}, config_.logging.samples)
                  : std::vector<Sample>()};
    });
  }

 private:
  const Config config_;
  const Tokenizer tokenizer_;
  TaskModel<Word2Vec> network_;
  std::optional<Dataset> validation_;
  Dataset data_;
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
