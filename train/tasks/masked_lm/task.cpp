// task: masked-lm. An encoder is trained to predict masked tokens of plain text (BERT).
#include <algorithm>

#include "data/files/content_hash.h"
#include "data/tokenizers/vocabulary.h"
#include "train/config/schema.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/example_works.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/masked_lm/evaluation.h"
#include "train/tasks/masked_lm/filling.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/masked_lm/work.h"
#include "train/tasks/pretrained_embeddings.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/tasks/shared_validation.h"
#include "train/tasks/task_data.h"
#include "train/tasks/text/texts.h"
#include "train/tasks/text/tokenizer.h"

namespace calque {

extern const TaskDescriptor masked_lm_task;

namespace {

class MaskedLmTask : public Task {
 public:
  MaskedLmTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : config_(config),
        tokenizer_(open_text_tokenizer(config_, run, start)),
        network_(masked_lm_options(config_, tokenizer_.size())) {
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
  std::span<const MetricInfo> metrics() const override { return masked_lm_task.metrics(); }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::string data_description() const override {
    return calque::data_description(data_, tokenizer_.size());
  }

  std::unique_ptr<WorkStream> training(StreamPosition from) override {
    const auto windows = std::make_shared<const MaskedWindows>(data_, config_, WindowUse::training,
                                                               masking_of(config_, tokenizer_));
    const ExampleSet examples = window_examples(windows);
    const MakeWork make = [this, windows](const ExampleBatch& batch) -> std::unique_ptr<Work> {
      PackedMasks packed;
      for (const Example& window : batch.examples) packed.append(window[0], window[1]);
      return std::make_unique<MaskedWork>(network_.model, config_.training, std::move(packed),
                                          batch.numbers, windows);
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
      const MaskedEvaluation found =
          evaluate_masked(network_.model, *validation_, config_, tokenizer_, share);
      return {found.values(), share.is_rank_zero()
                                  ? masked_samples(network_.model, *validation_, config_,
                                                   tokenizer_, config_.logging.samples)
                                  : std::vector<Sample>()};
    });
  }

 private:
  const Config config_;
  const Tokenizer tokenizer_;
  TaskModel<MaskedLm> network_;
  std::optional<Dataset> validation_;
  Dataset data_;
};

std::span<const MetricInfo> masked_lm_metrics() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = loss_metrics("masked token");
    metrics.push_back({"mask_accuracy", "mask_accuracy", "at [MASK]", "Accuracy at [MASK]", "",
                       "The accuracy on the chosen tokens that [MASK] replaces. Chosen tokens "
                       "that a random token replaces, or that stay, are not counted.",
                       ValueFormat::percent, 1, Better::higher});
    return metrics;
  }();
  return all;
}

std::vector<Contradiction> masked_lm_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  if (config.data.context < 3) {
    all.push_back({"data.context", "task: masked-lm needs at least 3 tokens: <s>, a token, </s>"});
  }
  if (config.data.whole_words && config.tokenizer.kind == TokenizerKind::bytes) {
    all.push_back({"data.whole_words", "tokenizer.kind: bytes has no word boundaries"});
  }
  return all;
}

SentenceEncoder open_masked_lm_encoder(const std::string& place) {
  return sentence_encoder(open_masked_lm_run(place), [](const auto& run, const std::string& text) {
    EncodedText encoded{.ids = encode_masked_text(run.tokenizer, text), .kinds = {}};
    const auto context = static_cast<size_t>(std::max<int64_t>(2, run.config.data.context));
    if (encoded.ids.size() > context) {
      encoded.ids.resize(context);
      encoded.ids.back() = end_id;
    }
    encoded.kinds.resize(encoded.ids.size());
    return encoded;
  });
}

}  // namespace

const TaskDescriptor masked_lm_task = {
    .kind = TaskKind::masked_lm,
    .make = make_task_of<MaskedLmTask>,
    .metrics = masked_lm_metrics,
    .contradictions = masked_lm_contradictions,
    .open_encoder = open_masked_lm_encoder,
};

}  // namespace calque
