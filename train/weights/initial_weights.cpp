#include "train/weights/initial_weights.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "train/storage/checkpoints.h"
#include "train/weights/adapter.h"
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

bool is_adapter(const std::optional<TrainingState>& state) {
  return state && !state->base.file.empty();
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

// Whether one of the slots is a parameter with one row per token.
bool has_rows_of_tokens(std::span<const TensorSlot> slots, const Parameters& parameters) {
  return std::ranges::any_of(slots, [&](const TensorSlot& slot) {
    const Parameters::Entry* entry = parameters.find(slot.name);
    return entry && belongs_to_vocabulary(entry->role);
  });
}

// Reads the slots, and returns the file's digest. `parameters` have the roles.
BaseWeights read_weights(const std::string& from, const SafetensorsFile& file,
                         const std::string& weights, std::span<const TensorSlot> slots,
                         const Parameters& parameters, const std::string& tokenizer_hash) {
  const std::optional<TrainingState> state = state_beside(weights);
  if (state && has_rows_of_tokens(slots, parameters)) {
    require_tokenizer(from, *state, tokenizer_hash);
  }
  const Fingerprint contents = file.read(slots);
  if (state) require_saved_contents(*state, weights, contents);
  if (const auto bad = first_not_finite(slots)) {
    fail("{}: {} holds a value that is infinite or not a number", from, *bad);
  }
  return {std::filesystem::canonical(weights).string(), contents};
}

// Fills the parameters with the weights of an adapter, merged with its base.
InitialWeights load_merged(const std::string& from, const std::string& weights,
                           const TrainingState& state, const std::string& tokenizer_hash,
                           Parameters& parameters) {
  const std::string checkpoint = std::filesystem::path(weights).parent_path().string();
  const RunLocation run = find_run(checkpoint);
  require_tokenizer(from, state, tokenizer_hash);
  InitialWeights initial;
  load_adapted(run, checkpoint, parameters, [&](const std::vector<TensorSlot>& slots) {
    return LoadedCheckpoint{checkpoint, load_checkpoint(real_files(), checkpoint, slots, {})};
  });
  initial.origin = base_weights(weights);
  initial.notes.push_back(fmt::format("{0} of {0} parameters start from {1}, an adapter of {2}",
                                      parameters.entries().size(), from, state.base.file));
  return initial;
}

}  // namespace

BaseWeights base_weights(const std::string& of) {
  const std::string weights = weights_file(of);
  return {std::filesystem::canonical(weights).string(),
          SafetensorsFile(real_files(), weights).read({})};
}

InitialWeights load_initial_weights(const std::string& from, const std::string& tokenizer_hash,
                                    Parameters& parameters) {
  const std::string weights = weights_file(from);
  const std::optional<TrainingState> state = state_beside(weights);
  if (is_adapter(state)) return load_merged(from, weights, *state, tokenizer_hash, parameters);
  const SafetensorsFile file(real_files(), weights);
  std::vector<TensorSlot> matching;
  InitialWeights initial;
  const std::vector<TensorSlot> wanted = parameter_slots(parameters);
  for (const TensorSlot& slot : wanted) {
    if (const auto problem = mismatch(file.table(), slot)) {
      initial.notes.push_back("not loaded: " + *problem);
    } else {
      matching.push_back(slot);
    }
  }
  initial.origin = read_weights(from, file, weights, matching, parameters, tokenizer_hash);
  if (matching.empty()) {
    fail("{}: none of its tensors has the name and shape of a parameter of this model", from);
  }
  initial.notes.insert(initial.notes.begin(), fmt::format("{} of {} parameters start from {}",
                                                          matching.size(), wanted.size(), from));
  return initial;
}

InitialWeights load_initial_weights(const std::string& from, const std::string& tokenizer_hash,
                                    Parameters& base, Parameters& trained) {
  const std::string weights = weights_file(from);
  if (is_adapter(state_beside(weights))) {
    fail(
        "model.init_from: {} is an adapter, which model.adapter cannot correct; make it a plain "
        "run "
        "with `calque merge {} --out DIR`",
        from, from);
  }
  const SafetensorsFile file(real_files(), weights);
  std::vector<TensorSlot> slots = parameter_slots(base);
  for (const TensorSlot& slot : slots) {
    if (const auto problem = mismatch(file.table(), slot)) {
      fail("{}: {}; with model.adapter, the sizes of the section `model` must be those of the base",
           from, *problem);
    }
  }
  const size_t frozen = slots.size();
  for (const TensorSlot& slot : parameter_slots(trained)) {
    if (!mismatch(file.table(), slot)) slots.push_back(slot);
  }
  InitialWeights initial;
  initial.origin = read_weights(from, file, weights, slots, base, tokenizer_hash);
  initial.notes.push_back(fmt::format("the {} parameters of {} are frozen", frozen, from));
  if (slots.size() > frozen) {
    initial.notes.push_back(
        fmt::format("{} trained parameters start from {}", slots.size() - frozen, from));
  }
  return initial;
}

}  // namespace calque
