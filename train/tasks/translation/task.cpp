// task: translation. An encoder-decoder model on pairs of lines.
#include <algorithm>

#include "core/error.h"
#include "data/batches/examples.h"
#include "data/datasets/id_counts.h"
#include "data/datasets/pair_sampling.h"
#include "data/files/content_hash.h"
#include "train/config/values.h"
#include "train/tasks/data_remarks.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/model_task.h"
#include "train/tasks/task_data.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/sentence_words.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/synthetic/training_corpora.h"
#include "train/tasks/translation/training.h"
#include "train/tasks/translation/validation.h"

namespace calque {

extern const TaskDescriptor translation_task;

namespace {

// Whether a metric is measured on translations instead of with teacher forcing.
bool compares_translations(const MetricInfo& metric) {
  constexpr std::string_view names[] = {"exact", "bleu", "chrf", "copied", "repeated"};
  return std::ranges::count(names, metric.name) > 0;
}

std::vector<std::string_view> keys_of(const MetricInfo& metric, const Config& config) {
  std::vector<std::string_view> keys = {"data.validation"};
  if (!compares_translations(metric)) return keys;
  for (const char* key :
       {"training.validate_sentences", "training.validate_translate", "decoding.min_length",
        "decoding.min_length_ratio", "decoding.max_length", "decoding.max_length_ratio",
        "decoding.max_length_extra", "decoding.no_repeat_ngram", "decoding.allow_unknown"}) {
    keys.push_back(key);
  }
  if (metric.name == "bleu") {
    for (const char* key : {"decoding.bleu_tokenize", "decoding.bleu_lowercase"}) {
      keys.push_back(key);
    }
  }
  if (config.training.validate_translate == TrainingConfig::Translate::beam) {
    for (const char* key : {"decoding.beam", "decoding.early_stopping", "decoding.length_penalty",
                            "decoding.length_penalty_kind"}) {
      keys.push_back(key);
    }
  }
  return keys;
}

class TranslationTask : public ModelTask<TranslationModel> {
 public:
  TranslationTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : TranslationTask(config, run, start, open_training_corpora(config, run, start)) {}

  std::span<const MetricInfo> metrics() const override { return translation_task.metrics(); }
  std::vector<SideFile> side_files() const override { return {{&RunFolder::sentences}}; }
  std::string tokenizer_hash() const override { return tokenizers_.hash(); }
  std::string data_hash() const override {
    const std::string hash = hexadecimal(data_.hash);
    return corpora_.synthetic.empty() ? hash : hash + '-' + corpora_.synthetic;
  }
  bool validates() const override { return validation_ && validation_->has_data(); }

  std::string measured_by(const MetricInfo& metric, const Config& config) const override {
    std::string text;
    for (const std::string_view name : keys_of(metric, config)) {
      const ConfigKey& key = *find_config_key(name);
      if (key.idle(config).empty()) text += fmt::format("{}: {}\n", name, key.write(config));
    }
    return text;
  }

  std::string data_description() const override {
    return calque::data_description(data_, tokenizers_.target.size()) + corpora_.description +
           pairs_description();
  }

  int64_t longest_input() const override {
    int64_t longest = 0;
    for (int64_t i = 0; i < data_.tokens->count(); ++i) {
      longest = std::max(longest, data_.tokens->length(i, 0));
    }
    return longest;
  }

  std::vector<std::string> data_remarks() const override {
    const Dataset* const validation = validation_->dataset();
    std::vector<std::string> remarks =
        calque::data_remarks(data_, validation, 0, tokenizers_.source, "source");
    for (std::string& remark :
         calque::data_remarks(data_, validation, 1, tokenizers_.target, "target")) {
      remarks.push_back(std::move(remark));
    }
    return remarks;
  }

  std::vector<std::string> load_pretrained() override {
    if (config_.model.embeddings == EmbeddingConfig()) return {};
    const std::vector<int64_t> source = count_ids(*data_.tokens, 0, tokenizers_.source.size());
    const std::vector<int64_t> target = count_ids(*data_.tokens, 1, tokenizers_.target.size());
    return load_embeddings(config_, tokenizers_.source, source, tokenizers_.target, target,
                           network_.parameters);
  }

 private:
  TranslationTask(const Config& config, const RunFolder& run, const TaskStart& start,
                  const TrainingCorpora& corpora)
      : TranslationTask(config, run, start, corpora,
                        open_translation_tokenizers(config, run, start, corpora.sources)) {}

  TranslationTask(const Config& config, const RunFolder& run, const TaskStart& start,
                  const TrainingCorpora& corpora, const Tokenizers& tokenizers)
      : ModelTask(config, options_of(config, tokenizers)),
        tokenizers_(tokenizers),
        corpora_(corpora) {
    if (start.purpose == TaskStart::Purpose::use) return;
    const std::string cache = cache_folder(config_, run, start);
    if (!config_.training.teacher.empty()) teacher_.emplace(config_, tokenizers_);
    // Validation comes first, so that its errors occur before the long tokenization of the training
    // corpora.
    validation_.emplace(config_, tokenizers_, cache);
    if (start.purpose == TaskStart::Purpose::begin) learn_sentences(config_, run);
    data_ = load_dataset(corpora_.sources, {tokenizers_.source, tokenizers_.target},
                         {filter_options(config_.data), cache});
    apply_temperature(data_, config_.data.temperature);
  }

  // "; an epoch has 3000 of en-de, 2900 of de-en" for a multilingual run.
  std::string pairs_description() const {
    if (!config_.data.multilingual) return "";
    std::string text;
    for (const PairShare& share : pair_shares(data_)) {
      text += fmt::format("{}{:.0f} of {}", text.empty() ? "; an epoch has " : ", ", share.in_epoch,
                          share.pair);
    }
    return text;
  }

  ExampleTraining examples() const override {
    constexpr int both[] = {0, 1};
    ExampleTraining training = pair_training(
        network_.model.translator(), config_.training,
        with_bpe_dropout(examples_of(data_, cost_columns(config_.training)), config_, tokenizers_),
        teacher_ ? &*teacher_ : nullptr);
    training.sizes = costs_of(*data_.tokens, both);
    training.where = [this](std::span<const int64_t> numbers) {
      std::vector<int64_t> lines;
      for (const int64_t number : numbers) lines.push_back(data_.tokens->line(number));
      return data_.where(std::move(lines));
    };
    return training;
  }

  Scores scores(BatchShare share) const override {
    return validation_->scores(network_.model.translator(), share);
  }

  const Tokenizers tokenizers_;
  const TrainingCorpora corpora_;
  std::optional<const WordTeacher> teacher_;
  std::optional<const Validation> validation_;
  Dataset data_;
};

std::unique_ptr<Task> make_translation(const Config& config, const RunFolder& run,
                                       const TaskStart& start) {
  if (start.purpose != TaskStart::Purpose::use) require_validation_files(config);
  return std::make_unique<TranslationTask>(config, run, start);
}

std::span<const MetricInfo> translation_metrics() {
  using enum ValueFormat;
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = loss_metrics("target token");
    metrics.push_back(
        {"bleu", "bleu", "BLEU", "BLEU", "0 to 100",
         "Overlap with the references in n-grams of one to four words. Of a multilingual "
         "run, the mean of its language pairs.",
         number, 1, Better::higher, false, true});
    metrics.push_back(
        {"chrf", "chrf", "chrF", "chrF", "0 to 100",
         "Overlap with the references in character n-grams. Of a multilingual run, the "
         "mean of its language pairs.",
         number, 1, Better::higher});
    metrics.push_back({"exact", "exact", "exact", "Exact translations", "",
                       "How many translations equal their reference.", percent, 1, Better::higher});
    metrics.push_back({"copied", "copied", "", "Copied sources", "",
                       "How many translations have at least three quarters of the source's words, "
                       "and their reference does not.",
                       percent, 1, Better::lower});
    metrics.push_back({"repeated", "repeated", "", "Repeated phrases", "",
                       "How many translations repeat a phrase three times in a row, and their "
                       "reference does not.",
                       percent, 1, Better::lower});
    return metrics;
  }();
  return all;
}

std::vector<Contradiction> translation_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  const bool none = config.training.validate_translate == TrainingConfig::Translate::none;
  const auto check = [&](const char* key, const std::string& name) {
    const MetricInfo* metric = find_metric(translation_metrics(), name);
    if (metric == nullptr || !compares_translations(*metric)) return;
    if (!none && !config.data.validation.empty()) return;
    all.push_back(
        {key, fmt::format("it is measured on translations; set {}",
                          none ? "training.validate_translate: greedy" : "data.validation")});
  };
  check("training.metric", config.training.metric);
  check("training.until", config.training.until.goal.metric);
  return all;
}

}  // namespace

const TaskDescriptor translation_task = {
    .kind = TaskKind::translation,
    .make = make_translation,
    .metrics = translation_metrics,
    .contradictions = translation_contradictions,
};

}  // namespace calque
