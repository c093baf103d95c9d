#include "train/tasks/language_model/distillation.h"

#include <filesystem>

#include "core/error.h"
#include "train/tasks/example_works.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/language_model/settings.h"
#include "train/weights/initial_weights.h"

namespace calque {
namespace {

// Of a model that is used, not trained.
LanguageModelOptions in_use(LanguageModelOptions options) {
  options.layer.adapter = {};
  options.layer.dropout = options.layer.attention_dropout = options.layer.activation_dropout = 0;
  return options;
}

// Whether a run is the base of the adapter of a model with these options. The contexts may differ.
bool is_base(const RunLocation& run, const Config& config, const LanguageModelOptions& options) {
  if (!config.model.adapter || run.adapter) return false;
  LanguageModelOptions of_run = in_use(language_model_options(run.config, options.vocabulary));
  of_run.layer.max_positions = options.layer.max_positions;
  return of_run == in_use(options) &&
         std::filesystem::equivalent(weights_file(config.training.teacher),
                                     weights_file(config.model.init_from));
}

SummedLoss operator+(const SummedLoss& a, const SummedLoss& b) {
  return {a.loss + b.loss, a.nll + b.nll, a.correct + b.correct, a.terms + b.terms};
}

}  // namespace

TextTeacher::TextTeacher(const Config& config, const Tokenizer& tokenizer,
                         TaskModel<LanguageModel>& learner)
    : share_(static_cast<real>(config.training.teacher_share)) {
  const std::string& path = config.training.teacher;
  try {
    const RunLocation run = find_run(path, TaskKind::language_model);
    const LanguageModelOptions& options = learner.model.options;
    if (is_base(run, config, options)) {
      base_.emplace(Path(learner.base), in_use(options));
    } else {
      const AdapterOptions& adapter = options.layer.adapter;
      const bool compact = adapter && is_compact(adapter.base);
      run_.emplace(
          open_language_model_run({path, compact ? std::optional(adapter.base) : std::nullopt}));
    }
    const Tokenizer own =
        run_ ? run_->tokenizer
             : open_text_tokenizer(run.config, run.folder, {TaskStart::Purpose::use});
    if (own.hash() != tokenizer.hash()) {
      fail("{} has another vocabulary; set tokenizer.files to its tokenizer", path);
    }
  } catch (const Error& error) {
    fail("training.teacher: {}", error.what());
  }
  for (const CorpusConfig& corpus : config.data.train) teaches_.push_back(corpus.teacher);
}

ExampleSet TextTeacher::marked(ExampleSet examples) const {
  std::vector<int64_t> ends;  // of the corpora
  for (const SharedRange& part : examples.parts) ends.push_back(part.first + part.count);
  examples.read = [read = examples.read, ends, teaches = teaches_](int64_t epoch, int64_t example,
                                                                   Example& out) {
    read(epoch, example, out);
    const auto corpus = std::ranges::upper_bound(ends, example) - ends.begin();
    out.push_back({teaches[static_cast<size_t>(corpus)] ? 1 : 0});
  };
  return examples;
}

SummedLoss TextTeacher::loss(const LanguageModel& model, std::span<const Example> examples,
                             double label_smoothing) const {
  std::vector<Example> taught, others;
  for (const Example& each : examples) {
    (each[2].front() == 1 ? taught : others).push_back({each[0], each[1]});
  }
  if (taught.empty()) return window_loss(model, others, label_smoothing, Mode::train);
  const PackedExamples packed = pack(taught);
  SummedLoss learned = summed(
      model.distilled_loss(this->model(), packed.columns[0], packed.columns[1], packed.segments,
                           static_cast<real>(label_smoothing), share_, Mode::train));
  if (others.empty()) return learned;
  return learned + window_loss(model, others, label_smoothing, Mode::train);
}

}  // namespace calque
