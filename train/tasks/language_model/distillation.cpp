#include "train/tasks/language_model/distillation.h"

#include "core/error.h"
#include "train/tasks/example_works.h"
#include "train/tasks/language_model/evaluation.h"

namespace calque {
namespace {

LanguageModelRun opened(const Config& config) {
  const AdapterOptions& adapter = config.model.adapter;
  const bool compact = adapter && is_compact(adapter.base);
  try {
    return open_language_model_run(
        {config.training.teacher, compact ? std::optional(adapter.base) : std::nullopt});
  } catch (const Error& error) {
    fail("training.teacher: {}", error.what());
  }
}

SummedLoss operator+(const SummedLoss& a, const SummedLoss& b) {
  return {a.loss + b.loss, a.nll + b.nll, a.correct + b.correct, a.terms + b.terms};
}

}  // namespace

TextTeacher::TextTeacher(const Config& config, const Tokenizer& tokenizer)
    : run_(opened(config)), share_(static_cast<real>(config.training.teacher_share)) {
  if (run_.tokenizer.hash() != tokenizer.hash()) {
    fail("training.teacher: {} has another vocabulary; set tokenizer.files to its tokenizer",
         config.training.teacher);
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
  const SummedLoss learned = summed(
      model.distilled_loss(run_.model(), packed.columns[0], packed.columns[1], packed.segments,
                           static_cast<real>(label_smoothing), share_, Mode::train));
  if (others.empty()) return learned;
  return learned + window_loss(model, others, label_smoothing, Mode::train);
}

}  // namespace calque
