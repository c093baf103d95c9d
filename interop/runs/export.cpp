#include "interop/runs/export.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "interop/runs/adapted_model.h"
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

// Passes the merged model on, or the one with adapters.
struct Opening {
  std::string place;
  bool with_adapters;
  Write write;

  template <class Model>
  void pass(RunParts parts, const Model& model, const std::string& checkpoint) const {
    if (!with_adapters) return write(Exported<Model>(std::move(parts), model));
    parts.config.model.adapter = find_run(place).adapter;
    const AdaptedModel<Model> adapted(model.options, parts.config.model.adapter);
    adapted.load(checkpoint);
    write(Exported<Model>(std::move(parts), adapted.model()));
  }
};

void open_translator(const Opening& opening) {
  const TranslationRun run = open_translation_run(exactly(opening.place), std::nullopt);
  opening.pass({run.config, {run.tokenizers.source, run.tokenizers.target}},
               *run.model().transformer(), run.checkpoint);
}

void open_language_model(const Opening& opening) {
  const LanguageModelRun run = open_language_model_run(exactly(opening.place));
  opening.pass({run.config, {run.tokenizer}}, run.model(), run.checkpoint);
}

void open_masked_lm(const Opening& opening) {
  const MaskedLmRun run = open_masked_lm_run(exactly(opening.place));
  opening.pass({run.config, {run.tokenizer}}, run.model(), run.checkpoint);
}

void open_classifier(const Opening& opening) {
  const TaskKind task = find_run(opening.place).config.task;
  const TextClassifierRun run = open_text_classifier(task, exactly(opening.place));
  opening.pass({run.config, {run.tokenizer}, run.labels}, run.model(), run.checkpoint);
}

void open_image_model(const Opening& opening) {
  const ImageRun run = open_image_run(exactly(opening.place));
  opening.pass({run.config, {}, run.labels, run.preparation}, run.model(), run.checkpoint);
}

// The first feature that a task has decides.
struct Opener {
  Feature feature;
  void (*open)(const Opening& opening);
};
constexpr Opener openers[] = {{Feature::pairs, open_translator},
                              {Feature::decoder, open_language_model},
                              {Feature::masks, open_masked_lm},
                              {Feature::pixels, open_image_model},
                              {Feature::classes, open_classifier}};

}  // namespace

std::string export_run(const std::string& run, const Format& format, const std::string& out,
                       std::string_view type) {
  const std::string problem = type_problem(format, type);
  if (!problem.empty()) fail("{}", problem);
  const RunLocation location = find_run(run);
  Config config = location.config;
  config.model.adapter = location.adapter;
  require_exportable(format, config, run);
  if (!format.of_adapters) config.model.adapter = {};
  if (format.models.empty()) {
    const TrainedRun opened = open_run(run, make_task);
    return export_model(format, Exported<Parameters>{{config}, opened.task->parameters()}, out);
  }
  const auto* opener =
      std::ranges::find_if(openers, [&](const Opener& each) { return has(config, each.feature); });
  require(opener != std::end(openers), "export_run: {} holds a task without a model", format.name);
  std::string remark;
  opener->open({run, format.of_adapters,
                [&](const AnyExported& from) { remark = export_model(format, from, out, type); }});
  return remark;
}

}  // namespace calque
