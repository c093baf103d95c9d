#include "interop/runs/export.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/images/run.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/registry.h"
#include "train/tasks/translation/run.h"

namespace calque {
namespace {

using Write = std::function<void(const AnyExported&)>;

void open_translator(const std::string& place, const Write& write) {
  const TranslationRun run = open_translation_run(place);
  write(Exported<Transformer>{{run.config, {run.tokenizers.source, run.tokenizers.target}},
                              *run.model().transformer()});
}

void open_language_model(const std::string& place, const Write& write) {
  const LanguageModelRun run = open_language_model_run(place);
  write(Exported<LanguageModel>{{run.config, {run.tokenizer}}, run.model()});
}

void open_masked_lm(const std::string& place, const Write& write) {
  const MaskedLmRun run = open_masked_lm_run(place);
  write(Exported<MaskedLm>{{run.config, {run.tokenizer}}, run.model()});
}

void open_classifier(const std::string& place, const Write& write) {
  const ClassificationRun run = open_classification_run(place);
  write(Exported<Classifier>{{run.config, {run.tokenizer}, run.labels}, run.model()});
}

void open_image_model(const std::string& place, const Write& write) {
  const ImageRun run = open_image_run(place);
  write(Exported<VisionTransformer>{{run.config, {}, run.labels, run.preparation}, run.model()});
}

struct Opener {
  TaskKind task;
  void (*open)(const std::string& place, const Write& write);
};
constexpr Opener openers[] = {{TaskKind::translation, open_translator},
                              {TaskKind::language_model, open_language_model},
                              {TaskKind::masked_lm, open_masked_lm},
                              {TaskKind::classification, open_classifier},
                              {TaskKind::images, open_image_model}};

}  // namespace

void export_run(const std::string& run, const Format& format, const std::string& out, bool int8) {
  const Config config = find_run(run).config;
  require_exportable(format, config, run);
  if (format.models.empty()) {
    const TrainedRun opened = open_run(run, make_task);
    return export_model(format, Exported<Parameters>{{config}, opened.task->parameters()}, out);
  }
  const auto* opener = std::ranges::find(openers, config.task, &Opener::task);
  require(opener != std::end(openers), "export_run: {} holds a task without a model", format.name);
  opener->open(run, [&](const AnyExported& from) { export_model(format, from, out, int8); });
}

}  // namespace calque
