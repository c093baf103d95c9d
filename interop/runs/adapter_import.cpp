#include "interop/runs/adapter_import.h"

#include <filesystem>

#include "core/error.h"
#include "interop/huggingface/peft.h"
#include "interop/runs/adapted_model.h"
#include "train/config/tasks.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/images/run.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/registry.h"
#include "train/tasks/translation/run.h"
#include "train/weights/derived_run.h"
#include "train/weights/initial_weights.h"

namespace calque {
namespace {

struct Import {
  PeftAdapter adapter;
  std::string base, run;

  // Whether the tensors fit the model when these sublayers have adapters.
  template <class Model>
  bool fits(const Model& plain, const AdapterOptions& options) const {
    const AdaptedModel<Model> adapted(plain.options, options);
    ForeignTensors left = adapter.tensors;
    PeftFillingWalk fill(left);
    walk_huggingface(fill, adapted.model());
    return left.empty();
  }

  // The fewest kinds of sublayers that have a place for all tensors; both if none has.
  template <class Model>
  AdapterOptions options_for(const Model& plain) const {
    AdapterOptions options = adapter.options;
    for (const auto& [attention, feed_forward] : {std::pair(true, false), std::pair(false, true)}) {
      options.attention = attention;
      options.feed_forward = feed_forward;
      if (fits(plain, options)) return options;
    }
    return adapter.options;
  }

  template <class Model>
  void write(const Model& plain) const {
    const AdapterOptions options = options_for(plain);
    const AdaptedModel<Model> adapted(plain.options, options);
    ForeignTensors left = adapter.tensors;
    PeftFillingWalk fill(left);
    walk_huggingface(fill, adapted.model());
    left.finish();
    TrainedRun opened = open_run(base, make_task);
    opened.location.config.model.adapter = options;
    opened.location.config.model.init_from = base;
    TrainingState state = load_state(real_files(), opened.weights.checkpoint);
    state.base = base_weights(base);
    save_derived_run(opened, run, parameter_tensors(adapted.adapters()), std::move(state));
  }
};

}  // namespace

void import_adapter(const std::string& place, const std::string& base, const std::string& run) {
  require_new_run(run);
  const RunLocation location = find_run(base);
  if (location.adapter) {
    fail("{}: is an adapter itself; make it a plain run with `calque merge {} --out DIR`", base,
         base);
  }
  const Import import{read_peft(place), base, run};
  const Config& config = location.config;
  if (has(config, Feature::pairs)) {
    const TranslationRun opened = open_translation_run(base, std::nullopt);
    const Transformer* model = opened.model().transformer();
    if (!model) fail("{}: model.kind is rnn, which has no adapters", base);
    import.write(*model);
  } else if (has(config, Feature::decoder)) {
    import.write(open_language_model_run(base).model());
  } else if (has(config, Feature::masks)) {
    import.write(open_masked_lm_run(base).model());
  } else if (has(config, Feature::pixels)) {
    import.write(open_image_run(base).model());
  } else if (has(config, Feature::classes)) {
    import.write(open_text_classifier(config.task, base).model());
  } else {
    fail("{}: its task has no adapters", base);
  }
}

}  // namespace calque
