#include "train/weights/initial_weights.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "train/storage/checkpoints.h"
#include "train/weights/parameter_tensors.h"
#include "train/weights/trained_run.h"

namespace calque {

std::string weights_file(const std::string& of) {
  namespace fs = std::filesystem;
  if (fs::is_regular_file(of)) return of;
  std::vector<std::string> checkpoints = {of, best_checkpoint({of})};
  const Checkpoints saved(real_files(), of);
  for (const int64_t step : saved.steps()) checkpoints.push_back(saved.folder(step));
  for (const std::string& checkpoint : checkpoints) {
    std::string file = checkpoint + "/model.safetensors";
    if (!checkpoint.empty() && fs::is_regular_file(file)) return file;
  }
  fail("{}: holds no weights; give a run with a checkpoint, a checkpoint, or a safetensors file",
       of);
}

namespace {

// The state of the checkpoint that the weights are in; nothing for a file outside a checkpoint.
std::optional<TrainingState> state_beside(const std::string& weights) {
  const std::filesystem::path checkpoint = std::filesystem::path(weights).parent_path();
  if (!std::filesystem::exists(checkpoint / "state.json")) return std::nullopt;
  return load_state(real_files(), checkpoint.string());
}

void require_tokenizer(const std::string& from, const TrainingState& state,
                       const std::string& hash) {
  if (state.tokenizer_hash == hash) return;
  fail(
      "model.init_from: {} has another tokenizer than this run, so its embeddings belong to other "
      "tokens; use its tokenizer with tokenizer.files (RUN/tokenizer.model), or set another "
      "tokenizer.vocabulary_size to start with new embeddings",
      from);
}

void require_saved_contents(const TrainingState& state, const std::string& weights,
                            const Fingerprint& contents) {
  const auto saved = state.checksums.find(std::filesystem::path(weights).filename().string());
  if (saved == state.checksums.end() || saved->second == contents) return;
  fail("{}: damaged: its contents are not those that were saved", weights);
}

}  // namespace

std::vector<std::string> load_initial_weights(const std::string& from,
                                              const std::string& tokenizer_hash,
                                              Parameters& parameters) {
  const std::string weights = weights_file(from);
  const SafetensorsFile file(real_files(), weights);
  std::vector<TensorSlot> matching;
  std::vector<std::string> report;
  const std::vector<TensorSlot> wanted = parameter_slots(parameters);
  for (const TensorSlot& slot : wanted) {
    if (const auto problem = mismatch(file.table(), slot)) {
      report.push_back("not loaded: " + *problem);
    } else {
      matching.push_back(slot);
    }
  }
  if (matching.empty()) {
    fail("{}: none of its tensors has the name and shape of a parameter of this model", from);
  }
  const std::optional<TrainingState> state = state_beside(weights);
  if (state && std::ranges::any_of(matching, [&](const TensorSlot& slot) {
        return belongs_to_vocabulary(parameters.find(slot.name)->role);
      })) {
    require_tokenizer(from, *state, tokenizer_hash);
  }
  const Fingerprint contents = file.read(matching);
  if (state) require_saved_contents(*state, weights, contents);
  if (const auto bad = first_not_finite(matching)) {
    fail("{}: {} holds a value that is infinite or not a number", from, *bad);
  }
  report.insert(report.begin(), fmt::format("{} of {} parameters start from {}", matching.size(),
                                            wanted.size(), from));
  return report;
}

}  // namespace calque
