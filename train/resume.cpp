#include "train/resume.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "train/averaging.h"
#include "train/config/load.h"
#include "train/config/show.h"
#include "train/config/values.h"

namespace calque {

std::optional<TrainingState> newest_state(const Checkpoints& checkpoints) {
  for (const int64_t step : checkpoints.steps()) {
    try {
      return load_state(real_files(), checkpoints.folder(step));
    } catch (const Mismatch&) {
      throw;
    } catch (const Error&) {  // a damaged one; loading the checkpoint says so
    }
  }
  return std::nullopt;
}

void refuse_lost_checkpoints(const RunFolder& run) {
  std::error_code not_there;
  const auto size = std::filesystem::file_size(run.metrics(), not_there);
  if (!not_there && size > 0) {
    fail(
        "{}: is the record of a run whose checkpoints are gone; put them back into {}, or train "
        "anew with --fresh",
        run.metrics(), run.checkpoints());
  }
}

namespace {

std::vector<ConfigDifference> changes_since(const TrainingState& state, const Config& config) {
  return config_differences(parse_complete_config(state.config, "the checkpoint's config").config,
                            config);
}

}  // namespace

std::vector<std::string> check_same_settings(const TrainingState& state, const Config& config) {
  if (is_mean(state)) {
    fail(
        "the run holds a mean of weights, from which training cannot go on; start another run from "
        "it with model.init_from");
  }
  std::vector<std::string> notes;
  std::string harmful;
  for (const ConfigDifference& d : changes_since(state, config)) {
    const std::string change = fmt::format("{}: {} -> {}", d.key, d.before, d.now);
    if (d.on_resume == OnResume::harmful) {
      harmful += (harmful.empty() ? "" : ", ") + change;
    } else {
      notes.push_back("changed since the checkpoint: " + change);
    }
  }
  if (!harmful.empty()) {
    fail("the run cannot go on with these changes: {}; undo them, or train anew with --fresh",
         harmful);
  }
  return notes;
}

namespace {

// "bleu until step 500": the scores by a metric that meant something else.
constexpr std::string_view until_step = " until step ";

bool is_of_translations(std::string_view metric) {
  const auto names = choices(TrainingConfig::Metric{});
  const auto found = std::ranges::find(names, metric);
  return found != names.end() &&
         compares_translations(static_cast<TrainingConfig::Metric>(found - names.begin()));
}

// Whether a change of the key gives the metric another meaning.
bool is_measured_by(std::string_view metric, std::string_view key, const Config& config) {
  if (key == "data.validation") return true;
  if (!is_of_translations(metric)) return false;
  if (key == "training.validate_sentences" || key == "training.validate_translate") return true;
  if (!key.starts_with("decoding.")) return false;
  if (key == "decoding.n_best" || key == "decoding.batch_tokens") return false;
  if (key.starts_with("decoding.bleu_")) return metric == "bleu";
  const bool of_beams = key == "decoding.beam" || key == "decoding.early_stopping" ||
                        key.starts_with("decoding.length_penalty");
  return !of_beams || config.training.validate_translate == TrainingConfig::Translate::beam;
}

}  // namespace

std::vector<std::string> judge_anew(TrainingState& state, const Config& config) {
  const std::vector<ConfigDifference> differences = changes_since(state, config);
  const std::string metric = write_value(config.training.metric);
  std::vector<std::string> notes;
  std::map<std::string, std::vector<Score>> best;
  for (auto& entry : state.best) {
    const std::string& name = entry.first;
    const bool another = name.find(until_step) == name.npos &&
                         std::ranges::any_of(differences, [&](const ConfigDifference& d) {
                           return is_measured_by(name, d.key, config);
                         });
    best[another ? fmt::format("{}{}{}", name, until_step, state.step) : name] =
        std::move(entry.second);
    if (!another) continue;
    notes.push_back(fmt::format(
        "validations are others than before: the best {} is judged anew; the checkpoints that were "
        "best are kept",
        name));
    if (name == metric) state.early_stopping.without_gain = 0;
  }
  state.best = std::move(best);
  if (std::ranges::count(differences, "training.metric", &ConfigDifference::key) > 0) {
    state.early_stopping.without_gain = 0;
  }
  return notes;
}

void check_same_text(const TrainingState& state, const std::string& tokenizer_hash,
                     const std::string& data_hash) {
  if (tokenizer_hash != state.tokenizer_hash) {
    fail(
        "the run's tokeniser is not the one its checkpoint was trained with; restore the run's "
        "tokenizer files, or train anew with --fresh");
  }
  if (data_hash != state.data_hash) {
    fail(
        "the training data is not what the checkpoint was trained on; restore it, or train anew "
        "with --fresh, or fine-tune from this run with model.init_from");
  }
}

}  // namespace calque
