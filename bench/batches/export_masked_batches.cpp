#include "export_masked_batches.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/batches/stream.h"
#include "train/config/show.h"
#include "train/settings.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/masked_lm/windows.h"
#include "train/tasks/text/corpora.h"
#include "train/weights/parameter_tensors.h"

using namespace calque;
using Json = nlohmann::ordered_json;

namespace {

void write_updates(std::ofstream& file, BatchStream& stream, const Config& config,
                   int64_t updates) {
  const Schedule schedule = schedule_of(config);
  const auto limit = static_cast<double>(config.training.until.updates);
  for (int64_t update = 1; update <= updates; ++update) {
    Json windows = Json::array();
    for (int64_t i = 0; i < config.training.accumulation; ++i) {
      for (const Example& window : stream.next().examples) {
        windows.push_back({window[0], window[1]});
      }
    }
    const double rate =
        learning_rate(schedule, update, limit > 0 ? static_cast<double>(update - 1) / limit : 0);
    file << Json{{"rate", rate}, {"windows", std::move(windows)}}.dump() << '\n';
  }
}

void write_validation(std::ofstream& file, const MaskedLmRun& run) {
  Masking masking = masking_of(run.config, run.tokenizer);
  masking.seed = 0;
  const Dataset text = load_texts(run.config.data, run.config.data.validation,
                                  CorpusConfig::Split::validation, run.tokenizer);
  const MaskedWindows windows(text, run.config, WindowUse::evaluation, masking);
  std::vector<int32_t> ids, expected;
  for (int64_t window = 0; window < windows.count(); ++window) {
    windows.read(0, window, ids, expected);
    file << Json{ids, expected}.dump() << '\n';
  }
}

}  // namespace

void export_masked_run(const std::string& place, int64_t updates, const std::string& out) {
  const MaskedLmRun run = open_masked_lm_run(place);
  std::filesystem::create_directories(out);
  TaskModel<MaskedLm> initial(run.model().options);
  initial.parameters.initialise(static_cast<uint64_t>(run.config.training.seed));
  write_safetensors(real_files(), out + "/initial.safetensors",
                    parameter_tensors(initial.parameters));
  std::ofstream(out + "/config.yaml") << show_config(run.config);

  std::ofstream validation(out + "/validation.jsonl"), file(out + "/updates.jsonl");
  write_validation(validation, run);
  const Dataset text = load_training_texts(run.config.data, run.tokenizer);
  BatchStream stream(
      window_examples(std::make_shared<const MaskedWindows>(text, run.config, WindowUse::training,
                                                            masking_of(run.config, run.tokenizer))),
      batch_options(run.config.training));
  write_updates(file, stream, run.config, updates);
  if (!file.flush() || !validation.flush()) fail("{}: cannot be written", out);
}
