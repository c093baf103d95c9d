#include "train/tasks/language_model/reference.h"

#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "core/error.h"
#include "data/conversations/preference_dataset.h"
#include "data/files/content_hash.h"
#include "data/files/file.h"
#include "train/config/show.h"
#include "train/tasks/evaluation.h"
#include "train/weights/initial_weights.h"

namespace calque {
namespace {

// Increase it when the same data and weights give other numbers.
constexpr int reference_version = 1;

// The tokens of a batch. It decides the rounding of the sums, so it is no setting.
constexpr int64_t batch_tokens = 4096;

PairLogs computed(const Dataset& dataset, const LanguageModel& model) {
  BatchShare all;
  const auto batches = evaluate_in_order(
      preference_examples(dataset), {.tokens = batch_tokens}, all, [&](const ExampleBatch& batch) {
        const Tensor logs = answer_logs(model, batch.examples, Mode::evaluate);
        return std::vector<real>(logs.span().begin(), logs.span().end());
      });
  PairLogs pairs;
  for (const std::vector<real>& logs : batches) {
    for (size_t i = 0; i < logs.size(); i += 2) pairs.push_back({logs[i], logs[i + 1]});
  }
  return pairs;
}

// A file has the numbers and the hash of their bytes.
std::optional<PairLogs> read_logs(const std::string& path, int64_t count) {
  PairLogs logs(static_cast<size_t>(count));
  const size_t size = logs.size() * sizeof logs[0];
  std::string bytes;
  try {
    bytes = read_file(path, static_cast<int64_t>(size + sizeof(uint64_t)));
  } catch (const Error&) {
    return std::nullopt;  // it is computed again
  }
  if (bytes.size() != size + sizeof(uint64_t)) return std::nullopt;
  const uint64_t digest = content_hash(std::string_view(bytes).substr(0, size));
  if (std::memcmp(bytes.data() + size, &digest, sizeof digest) != 0) return std::nullopt;
  std::memcpy(logs.data(), bytes.data(), size);
  return logs;
}

// Returns why the file could not be written, or an empty text.
std::string write_logs(const std::string& path, const PairLogs& logs) {
  const std::string_view bytes(reinterpret_cast<const char*>(logs.data()),
                               logs.size() * sizeof logs[0]);
  const uint64_t digest = content_hash(bytes);
  try {
    NewFile file(path);
    file.append(bytes);
    file.append({reinterpret_cast<const char*>(&digest), sizeof digest});
    file.finish();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

PairLogs no_reference(const Dataset& dataset) {
  return PairLogs(static_cast<size_t>(dataset.examples()));
}

uint64_t weights_hash(const Config& config) {
  const Fingerprint weights = base_weights(config.model.init_from).contents;
  Config model;
  model.task = config.task;
  model.model = config.model;
  model.model.init_from.clear();
  const Precision base = std::exchange(model.model.adapter, {}).base;
  ContentHash hash;
  hash.add(weights.size).add(weights.digest).add_text(show_config(model));
  if (base != Precision::full) hash.add_text(name_of(weight_precisions, base));
  return hash.value();
}

void load_reference_weights(const Config& config, const std::string& tokenizer_hash,
                            TaskModel<LanguageModel>& network) {
  const std::string& from = config.model.init_from;
  network.parameters.initialise(0);
  if (!network.base.entries().empty()) {
    load_initial_weights(from, tokenizer_hash, network.base, network.parameters);
    return;
  }
  const auto notes = load_initial_weights(from, tokenizer_hash, network.parameters).notes;
  if (notes.size() > 1) {
    fail("{}: {}; with preferences, the section `model` must be that of model.init_from", from,
         notes[1]);
  }
}

Reference load_reference(const Dataset& dataset, uint64_t weights, const std::string& cache_folder,
                         const std::function<const LanguageModel&()>& model) {
  ContentHash key;
  key.add(reference_version).add(sizeof(real)).add(weights).add(dataset.hash);
  const std::string path = cache_folder.empty()
                               ? ""
                               : fmt::format("{}/reference-{:016x}.bin", cache_folder, key.value());
  if (!path.empty()) {
    if (auto logs = read_logs(path, dataset.examples())) {
      return {std::move(*logs), "; the reference is from the cache"};
    }
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Reference reference{.logs = computed(dataset, model()), .description = {}};
  const std::chrono::duration<double> seconds = Clock::now() - start;
  const std::string problem = path.empty() ? "" : write_logs(path, reference.logs);
  reference.description =
      fmt::format("; the reference of {} answers was computed in {:.1f} s{}",
                  2 * dataset.examples(), seconds.count(), problem.empty() ? "" : "; " + problem);
  return reference;
}

void require_same_reference(const std::string& before, const std::string& now) {
  const size_t end = now.find('-');
  if (before == now || before.size() != now.size()) return;
  if (before.substr(0, end) != now.substr(0, end)) return;  // other data
  fail(
      "the weights of model.init_from, the reference of the preferences, are not those that the "
      "run began with; restore them, or start again with --fresh");
}

}  // namespace calque
