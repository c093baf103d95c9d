// task: language-model. A decoder-only Transformer on plain text, conversations or preferences.
#include "train/tasks/text/task.h"

#include <algorithm>

#include "data/conversations/preference_dataset.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/language_model/distillation.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/language_model/preferences.h"
#include "train/tasks/language_model/reference.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/language_model/samples.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/loss_metrics.h"

namespace calque {

extern const TaskDescriptor language_model_task;

namespace {

// The bias of an imported model excludes the tokens that it lacks; its own engine has none to
// train.
void freeze_output_bias(const ModelConfig& model, Parameters& parameters) {
  if (model.output_bias && !model.init_from.empty() && !model.adapter) {
    parameters.freeze("output.bias");
  }
}

class LanguageModelTask : public TextTask<LanguageModel> {
 public:
  LanguageModelTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : TextTask(config, run, start, language_model_options) {
    freeze_output_bias(config.model, network_.parameters);
    if (start.purpose == TaskStart::Purpose::use) return;
    if (!config.training.teacher.empty()) teacher_.emplace(config, tokenizer_, network_);
    if (!has_preferences(config)) return;
    reference_.logs = no_reference(data_);
    if (start.purpose == TaskStart::Purpose::plan) return;
    weights_ = weights_hash(config);
    require_same_reference(start.data_hash, data_hash());
    const std::string cache = cache_folder(config, run, start);
    const auto model = [&]() -> const LanguageModel& {
      load_reference_weights(config, tokenizer_hash(), network_);
      return network_.model;
    };
    reference_ = load_reference(data_, weights_, cache, model);
    if (validation_) validation_reference_ = load_reference(*validation_, weights_, cache, model);
  }

  std::span<const MetricInfo> metrics() const override { return language_model_task.metrics(); }

  // With preferences, the data and the weights of the reference.
  std::string data_hash() const override {
    return TextTask::data_hash() + (weights_ == 0 ? "" : "-" + hexadecimal(weights_));
  }

  std::string data_description() const override {
    return TextTask::data_description() + reference_.description;
  }

 private:
  ExampleTraining examples() const override {
    if (is_of_preferences(data_)) {
      return {.set = preference_examples(data_), .forward = [this](std::span<const Example> pairs) {
                return preference_loss(network_.model, pairs, reference_.logs,
                                       preference_options(config_), Mode::train)
                    .loss;
              }};
    }
    ExampleSet windows = text_examples(data_, window_options(config_, WindowUse::training));
    if (teacher_) {
      return {.set = teacher_->marked(std::move(windows)),
              .forward = [this](std::span<const Example> examples) {
                return teacher_->loss(network_.model, examples, config_.training.label_smoothing);
              }};
    }
    return {.set = std::move(windows), .forward = [this](std::span<const Example> examples) {
              return window_loss(network_.model, examples, config_.training.label_smoothing,
                                 Mode::train, config_.training.r_drop);
            }};
  }

  Scores scores(BatchShare share) const override {
    if (is_of_preferences(*validation_)) {
      return {evaluate_preferences(network_.model, *validation_, validation_reference_.logs,
                                   preference_options(config_), tokens_at_once(config_), share),
              {}};
    }
    const TextEvaluation evaluation =
        evaluate_text(network_.model, *validation_, window_options(config_, WindowUse::evaluation),
                      config_.training.label_smoothing, tokens_at_once(config_), share);
    if (!share.is_rank_zero()) return {evaluation.values(), {}};
    return {evaluation.values(), sample_continuations(network_.model, tokenizer_, *validation_,
                                                      config_, config_.logging.samples)};
  }

  std::optional<const TextTeacher> teacher_;
  // Of preferences.
  uint64_t weights_ = 0;
  Reference reference_, validation_reference_;
};

std::unique_ptr<Task> make_language_model(const Config& config, const RunFolder& run,
                                          const TaskStart& start) {
  if (start.purpose != TaskStart::Purpose::use) {
    for (const DocumentSource& source :
         document_sources(config.data.validation, config.data, CorpusConfig::Split::validation)) {
      require_files(source);
    }
  }
  return std::make_unique<LanguageModelTask>(config, run, start);
}

std::span<const MetricInfo> language_model_metrics() {
  static const std::vector<MetricInfo> all = [] {
    std::vector<MetricInfo> metrics = loss_metrics("token");
    metrics.push_back({"bits_per_character", "bits_per_character", "bits/char",
                       "Bits per character", "",
                       "The nll in bits per character of the text, comparable between tokenizers.",
                       ValueFormat::number, 3, Better::lower, false, true});
    metrics.push_back({"bits_per_byte", "bits_per_byte", "bits/byte", "Bits per byte", "",
                       "The nll in bits per byte of the text.", ValueFormat::number, 3,
                       Better::lower});
    metrics.push_back({"margin", "margin", "margin", "Margin of preferences", "nats",
                       "How much more the log-probability of the chosen answer has grown than that "
                       "of the rejected one, times dpo_beta.",
                       ValueFormat::number, 3, Better::higher});
    return metrics;
  }();
  return all;
}

// Preferences and texts are measured by different metrics, and a teacher reads texts alone.
std::vector<Contradiction> language_model_contradictions(const Config& config) {
  constexpr std::string_view of_preferences[] = {"loss", "nll", "accuracy", "margin"};
  std::vector<Contradiction> all;
  const bool pairs = has_preferences(config);
  const auto check = [&](const char* key, const std::string& name) {
    if (find_metric(language_model_task.metrics(), name) == nullptr) return;
    if (pairs ? std::ranges::count(of_preferences, name) > 0 : name != "margin") return;
    all.push_back(
        {key, fmt::format("{} is measured on {} alone", name, pairs ? "texts" : "preferences")});
  };
  if (!config.training.teacher.empty() && pairs) {
    all.push_back({"training.teacher", "cannot be combined with preferences; remove it"});
  }
  check("training.metric", config.training.metric);
  check("training.until", config.training.until.goal.metric);
  return all;
}

SentenceEncoder open_language_model_encoder(const RunPlace& place) {
  return sentence_encoder(open_language_model_run(place));
}

}  // namespace

SentenceEncoder sentence_encoder(const LanguageModelRun& run) {
  const std::shared_ptr<const LanguageModel> model(run.network, &run.model());
  return {.states =
              [model](std::span<const int32_t> ids, const Segments& segments) {
                return model->hidden(ids, segments, Mode::evaluate);
              },
          .tokenize = [tokenizer = run.tokenizer](
                          const std::string& text) { return tokenizer.encode_document(text); },
          .causal = true,
          .width = model->options.layer.d_model,
          .vocabulary = model->options.vocabulary,
          .context = run.config.data.context};
}

const TaskDescriptor language_model_task = {
    .kind = TaskKind::language_model,
    .make = make_language_model,
    .metrics = language_model_metrics,
    .contradictions = language_model_contradictions,
    .open_encoder = open_language_model_encoder,
};

}  // namespace calque
