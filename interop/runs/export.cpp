#include "interop/runs/export.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "train/config/tasks.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/images/run.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/registry.h"
#include "train/tasks/translation/run.h"

namespace calque {
namespace {

// An export rounds only where its own option says so.
RunPlace exactly(const std::string& place) { return {place, Precision::full}; }

using Write = std::function<void(const AnyExported&)>;

void open_translator(const std::string& place, const Write& write) {
  const TranslationRun run = open_translation_run(exactly(place));
  write(Exported<Transformer>{{run.config, {run.tokenizers.source, run.tokenizers.target}},
                              *run.model().transformer()});
}

void open_language_model(const std::string& place, const Write& write) {
  const LanguageModelRun run = open_language_model_run(exactly(place));
  write(Exported<LanguageModel>{{run.config, {run.tokenizer}}, run.model()});
}

void open_masked_lm(const std::string& place, const Write& write) {
  const MaskedLmRun run = open_masked_lm_run(exactly(place));
  write(Exported<MaskedLm>{{run.config, {run.tokenizer}}, run.model()});
}

void open_classifier(const std::string& place, const Write& write) {
  const TextClassifierRun run = open_text_classifier(find_run(place).config.task, exactly(place));
  write(Exported<Classifier>{{run.config, {run.tokenizer}, run.labels}, run.model()});
}

void open_image_model(const std::string& place, const Write& write) {
  const ImageRun run = open_image_run(exactly(place));
  write(Exported<VisionTransformer>{{run.config, {}, run.labels, run.preparation}, run.model()});
}

// The first feature that a task has decides.
struct Opener {
  Feature feature;
  void (*open)(const std::string& place, const Write& write);
};
constexpr Opener openers[] = {{Feature::pairs, open_translator},
                              {Feature::decoder, open_language_model},
                              {Feature::masks, open_masked_lm},
                              {Feature::pixels, open_image_model},
                              {Feature::classes, open_classifier}};

}  // namespace

std::string export_run(const std::string& run, const Format& format, const std::string& out,
                       bool int8) {
  const Config config = find_run(run).config;
  require_exportable(format, config, run);
  if (format.models.empty()) {
    const TrainedRun opened = open_run(run, make_task);
    return export_model(format, Exported<Parameters>{{config}, opened.task->parameters()}, out);
  }
  const auto* opener =
      std::ranges::find_if(openers, [&](const Opener& each) { return has(config, each.feature); });
  require(opener != std::end(openers), "export_run: {} holds a task without a model", format.name);
  std::string remark;
  opener->open(run,
               [&](const AnyExported& from) { remark = export_model(format, from, out, int8); });
  return remark;
}

}  // namespace calque
