// model.adapter: fine-tuning of a few numbers over the frozen weights of another run, in every task
// whose model has attention.
#include "train/weights/adapter.h"

#include <cmath>
#include <filesystem>

#include "core/compact_weights.h"
#include "core/error.h"
#include "train/run/plan.h"
#include "train/storage/safetensors.h"
#include "train/tasks/fixture.h"
#include "train/weights/averaging.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

namespace fs = std::filesystem;
using Settings = std::vector<std::string>;

std::vector<TaskCase> adaptable() {
  std::vector<TaskCase> tasks = all_models();
  std::erase_if(tasks, [](const TaskCase& task) {
    return task.name == "word2vec" || task.name == "translation-with-recurrent-networks";
  });
  return tasks;
}

const TaskCase& language_model() {
  return *std::ranges::find(all_tasks(), "language-model", &TaskCase::name);
}

// A base that was trained for ten updates, and the settings of an adapter over it.
Settings base_and_adapter(const TaskCase& task, const TemporaryFolder& folder) {
  run_task(task, folder, {"training.until=10u"}, "base");
  Settings settings = {
      "model.init_from=" + folder.path("base"),
      "model.adapter={kind: lora, rank: 2, alpha: 8, dropout: 0.1}",
  };
  if (task.has_tokenizer) {
    for (const char* name : {"tokenizer.model", "tokenizer.vocab"}) {
      if (!fs::exists(folder.path("base/") + name)) continue;
      settings.push_back("tokenizer.files=[" + folder.path("base/") + name + "]");
      break;
    }
  }
  return settings;
}

std::vector<real> weights(const TemporaryFolder& folder, const std::string& place,
                          const std::string& name) {
  const TrainedRun run = open_run(folder.path(place), make_task);
  const Parameters::Entry* entry = run.task->parameters().find(name);
  REQUIRE(entry != nullptr);
  return {entry->values().begin(), entry->values().end()};
}

std::vector<std::string> tensors_in(const TemporaryFolder& folder, const std::string& checkpoint) {
  const SafetensorsFile file(real_files(), folder.path(checkpoint) + "/model.safetensors");
  std::vector<std::string> names;
  for (const TensorEntry& entry : file.table().entries) names.push_back(entry.name);
  return names;
}

std::vector<real> tensor(const TemporaryFolder& folder, const std::string& checkpoint,
                         const std::string& name) {
  const SafetensorsFile file(real_files(), folder.path(checkpoint) + "/model.safetensors");
  const TensorEntry* entry = file.table().find(name);
  REQUIRE(entry != nullptr);
  std::vector<real> values(entry->elements);
  const std::vector<TensorSlot> slots = {{name, entry->shape, values}};
  file.read(slots);
  return values;
}

}  // namespace

TEST_CASE("in every task, checkpoints hold the adapter alone, and in use it is merged") {
  for (const TaskCase& task : adaptable()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    Settings settings = base_and_adapter(task, folder);
    settings.push_back("training.keep_last=9");
    run_task(task, folder, settings, "tuned");
    for (const std::string& name : tensors_in(folder, "tuned/last")) {
      CAPTURE(name);
      const bool head = name.starts_with("classifier.");
      CHECK((head || name.find(".lora_") != std::string::npos));
    }
    const std::string layer =
        task.name.starts_with("translation") ? "decoder.layers.0" : "layers.0";
    const std::string outer = layer + ".feed_forward.outer";
    if (task.name != "language-model-with-experts") {
      // W + alpha / rank A B, by hand, for one number.
      const auto before = weights(folder, "base", outer + ".weight"),
                 after = weights(folder, "tuned/last", outer + ".weight"),
                 a = tensor(folder, "tuned/last", outer + ".lora_a"),
                 b = tensor(folder, "tuned/last", outer + ".lora_b.0");
      const size_t columns = b.size() / 2, row = 3, column = 5;
      const real expected = before[row * columns + column] +
                            4 * (a[2 * row] * b[column] + a[2 * row + 1] * b[columns + column]);
      CHECK(after[row * columns + column] == doctest::Approx(expected).epsilon(1e-6));
      CHECK(after != before);
    }
    const std::string norm = layer + ".feed_forward_norm.gain";
    CHECK(weights(folder, "tuned/last", norm) == weights(folder, "base", norm));
    // The adapter starts as its base.
    CHECK(weights(folder, "tuned/checkpoints/step-000000", layer + ".self_attention.qkv.weight") ==
          weights(folder, "base", layer + ".self_attention.qkv.weight"));
  }
}

TEST_CASE("a run with an adapter resumes in the same bits") {
  for (const TaskCase& task : adaptable()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    Settings settings = base_and_adapter(task, folder);
    settings.push_back("training.ema=0.9");
    run_task(task, folder, settings, "whole");
    settings.push_back("training.until=13u");
    run_task(task, folder, settings, "parts");
    settings.back() = "training.until=30u";
    run_task(task, folder, settings, "parts");
    CHECK(tensors(folder, "whole 000030") == tensors(folder, "parts 000030"));
  }
}

TEST_CASE("an adapter over a base in fewer bits resumes in the same bits, merged with that base") {
  for (const TaskCase& task : adaptable()) {
    CAPTURE(task.name);
    for (const Precision form : {Precision::q8_0, Precision::bfloat16, Precision::q4_0}) {
      if (form != Precision::q8_0 && task.name != "language-model") continue;
      const TemporaryFolder folder;
      Settings settings = base_and_adapter(task, folder);
      settings[1] =
          fmt::format("model.adapter={{kind: lora, rank: 2, alpha: 8, dropout: 0.1, base: {}}}",
                      name_of(weight_precisions, form));
      settings.push_back("training.keep_last=9");
      run_task(task, folder, settings, "whole");
      settings.push_back("training.until=13u");
      run_task(task, folder, settings, "parts");
      settings.back() = "training.until=30u";
      run_task(task, folder, settings, "parts");
      CHECK(tensors(folder, "whole 000030") == tensors(folder, "parts 000030"));

      const std::string name =
          (task.name.starts_with("translation") ? "decoder.layers.0" : "layers.0") +
          std::string(".self_attention.qkv.weight");
      const TrainedRun base = open_run(folder.path("base"), make_task);
      const Parameters::Entry& entry = *base.task->parameters().find(name);
      const std::vector<real> exact(entry.values().begin(), entry.values().end());
      round_weight(entry, form);
      const std::vector<real> rounded(entry.values().begin(), entry.values().end());
      CHECK(exact != rounded);
      CHECK(weights(folder, "whole/checkpoints/step-000000", name) == rounded);
    }
  }
}

TEST_CASE("a merged run is a plain one with the same weights, and needs no base") {
  const TaskCase& task = language_model();
  const TemporaryFolder folder;
  run_task(task, folder, base_and_adapter(task, folder), "tuned");
  merge_adapter(folder.path("tuned/last"), folder.path("merged"), make_task);
  const std::string name = "layers.0.self_attention.qkv.weight";
  const std::vector<real> tuned = weights(folder, "tuned/last", name);
  average_weights({folder.path("tuned/last"), folder.path("tuned/checkpoints/step-000030")},
                  folder.path("average"), make_task);
  merge_adapter(folder.path("tuned/last"), folder.path("half"), make_task, real(0.5));
  const std::vector<real> base = weights(folder, "base", name),
                          half = weights(folder, "half", name);
  for (size_t i = 0; i < base.size(); i += 97) {
    CHECK(half[i] == doctest::Approx((base[i] + tuned[i]) / 2).epsilon(1e-5));
  }
  CHECK(half != base);
  fs::remove_all(folder.path("base"));
  CHECK(weights(folder, "merged", name) == tuned);
  CHECK(weights(folder, "average", name) == tuned);
  CHECK_FALSE(find_run(folder.path("merged")).adapter);
  CHECK(message_of([&] { merge_adapter(folder.path("merged"), folder.path("x"), make_task); }) ==
        folder.path("merged") + ": has no adapter to merge; it is a plain run");
}

TEST_CASE(
    "a run whose base is missing or has changed is refused in one line, in use and on resume") {
  const TaskCase& task = language_model();
  const TemporaryFolder folder;
  const Settings settings = base_and_adapter(task, folder);
  run_task(task, folder, settings, "tuned");
  const std::string tuned = folder.path("tuned"),
                    base = fs::canonical(folder.path("base")).string() +
                           "/checkpoints/step-000010/model.safetensors";
  const auto open = [&] { return message_of([&] { open_run(tuned, make_task); }); };
  const auto resume = [&] {
    return message_of([&] { run_task(task, folder, settings, "tuned"); });
  };
  CHECK(open() == "");

  std::string bytes = folder.read("base/checkpoints/step-000010/model.safetensors");
  bytes[bytes.size() - 3] ^= 1;
  folder.write("base/checkpoints/step-000010/model.safetensors", bytes);
  const std::string changed = tuned + ": " + base +
                              " is not its base: its contents are not those that the adapter was "
                              "trained with";
  CHECK(open() == changed);
  CHECK(resume() == changed);

  fs::rename(folder.path("base"), folder.path("elsewhere"));
  const std::string missing = tuned + ": its base, " + base +
                              ", is missing; put it back, or name its new place as "
                              "model.init_from in " +
                              tuned + "/config.yaml";
  CHECK(open() == missing);
}

TEST_CASE("a base that has moved is found by the model.init_from of the run's config") {
  const TaskCase& task = language_model();
  const TemporaryFolder folder;
  run_task(task, folder, base_and_adapter(task, folder), "tuned");
  fs::rename(folder.path("base"), folder.path("moved"));
  std::string config = folder.read("tuned/config.yaml");
  const std::string before = folder.path("base");
  for (size_t at = 0; (at = config.find(before, at)) != std::string::npos;) {
    config.replace(at, before.size(), folder.path("moved"));
  }
  folder.write("tuned/config.yaml", config);
  CHECK(message_of([&] { open_run(folder.path("tuned"), make_task); }) == "");
}

TEST_CASE("a run starts from the merged weights of an adapter") {
  for (const TaskCase& task : adaptable()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    Settings settings = base_and_adapter(task, folder);
    settings[1] = "model.adapter={kind: lora, rank: 2, alpha: 8, base: q8_0}";
    run_task(task, folder, settings, "tuned");
    settings[0] = "model.init_from=" + folder.path("tuned/last");
    settings[1] = "training.until=1u";
    settings.push_back("training.keep_last=9");
    run_task(task, folder, settings, "next");
    const std::string name =
        (task.name.starts_with("translation") ? "decoder.layers.0" : "layers.0") +
        std::string(".self_attention.qkv.weight");
    CHECK(weights(folder, "next/checkpoints/step-000000", name) ==
          weights(folder, "tuned/last", name));
  }
}

TEST_CASE("an adapter cannot start from another adapter or from a model of other sizes") {
  const TaskCase& task = language_model();
  const TemporaryFolder folder;
  Settings settings = base_and_adapter(task, folder);
  run_task(task, folder, settings, "tuned");
  settings[0] = "model.init_from=" + folder.path("tuned");
  const std::string again = message_of([&] { run_task(task, folder, settings, "again"); });
  CHECK(again.find("tuned is an adapter, which model.adapter cannot correct") != std::string::npos);
  settings[0] = "model.init_from=" + folder.path("base");
  settings.push_back("model.d_ff=24");
  const std::string sizes = message_of([&] { run_task(task, folder, settings, "other"); });
  CHECK(sizes.find("the sizes of the section `model` must be those of the base") !=
        std::string::npos);
}

TEST_CASE("model.adapter needs a base, a kind, and sublayers that there are") {
  const auto problem = [](const Settings& settings) {
    return message_of([&] { config_of_task(language_model(), settings); });
  };
  const auto mentions = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(mentions(problem({"model.adapter={kind: lora}"}), "needs init_from"));
  const char* from = "model.init_from=runs/x";
  CHECK(mentions(problem({from, "model.adapter={rank: 4}"}), "needs kind"));
  CHECK(mentions(problem({from, "model.adapter={kind: lora, on: [embedding]}"}),
                 "a list of attention and feed_forward"));
  CHECK(mentions(problem({from, "model.adapter={kind: lora, on: []}"}),
                 "a list of attention and feed_forward"));
  const Config config =
      config_of_task(language_model(), {from, "model.adapter={kind: lora, on: [feed_forward]}"});
  CHECK(mentions(problem({from, "model.adapter={kind: lora, base: int8}"}),
                 "float32, bfloat16, q8_0, q4_0"));
  CHECK_FALSE(config.model.adapter.attention);
  CHECK(config.model.adapter.rank == 16);
}

TEST_CASE("the plan of a run with an adapter counts its numbers and those that are frozen") {
  const TaskCase& task = language_model();
  const TemporaryFolder folder;
  const Config config = config_of_task(task, base_and_adapter(task, folder));
  const std::string plan = training_plan(config, {folder.path("tuned")}, make_task);
  CHECK(plan.find("numbers of " + folder.path("base")) != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path("tuned")));
}

}  // namespace calque
