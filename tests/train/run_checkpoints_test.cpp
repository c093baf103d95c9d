// The checkpoints of small runs: which is the best, and what happens to damaged ones.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "train/tasks/fixture.h"
#include "train/tasks/translation/run.h"
#include "train/trainer.h"
#include "train/weights/averaging.h"
#include "train/weights/initial_weights.h"

using namespace calque;

TEST_CASE("a run whose checkpoints are missing is refused, and its metrics are kept") {
  const TemporaryFolder folder;
  run(folder);
  const std::string metrics = folder.read("run/metrics.jsonl");
  std::filesystem::remove_all(folder.path("run/checkpoints"));
  CHECK(message_of([&] { run(folder); }).find("checkpoints are missing") != std::string::npos);
  CHECK(folder.read("run/metrics.jsonl") == metrics);
}

TEST_CASE("a run ends with a validation that counts for the best checkpoint, even if none is due") {
  const TemporaryFolder folder;
  run(folder, {"training.until=25u", "training.validate_every=100u", "training.save_every=5u"});
  CHECK(std::filesystem::read_symlink(folder.path("run/best")) == "checkpoints/step-000025");
  const auto state = nlohmann::json::parse(folder.read("run/last/state.json"));
  CHECK(state["step"] == 25);
  CHECK(state["best"]["loss"].size() == 1);
  CHECK(folder.read("run/metrics.jsonl").find("\"valid\",\"step\":25") != std::string::npos);
}

TEST_CASE("after resuming with another metric, the best checkpoint is the best by that metric") {
  const TemporaryFolder folder;
  run(folder);
  run(folder, {"training.metric=chrf", "training.validate_translate=greedy", "training.until=60u",
               "training.keep_best=3"});
  double best = -1;
  int step = 0;
  for (const nlohmann::json& record : metrics_of(folder, "run", "valid")) {
    if (!record.contains("chrf") || record["chrf"] <= best) continue;
    best = record["chrf"], step = record["step"];
  }
  CHECK(step >= 40);
  const std::string checkpoint = fmt::format("checkpoints/step-{:06}", step);
  CHECK(std::filesystem::read_symlink(folder.path("run/best")) == checkpoint);
  CHECK(best_checkpoints(folder.path("run"), 1) ==
        std::vector<std::string>{folder.path("run/" + checkpoint)});
}

TEST_CASE("a damaged newest checkpoint is set aside, and the one before it used") {
  const TemporaryFolder folder;
  run(folder);
  folder.write("run/checkpoints/step-000030/model.safetensors", "rubbish");
  run(folder, {"training.until=40u"});
  CHECK(std::filesystem::exists(folder.path("run/checkpoints/step-000030.damaged")));
  CHECK(folder.read("run/train.log").find("resuming") != std::string::npos);
  run(folder, {"training.until=40u"}, "whole");
  CHECK(tensors(folder, "whole 000040") == tensors(folder, "run 000040"));
}

TEST_CASE("using a run whose newest checkpoint is damaged is an error that names the one before") {
  const TemporaryFolder folder;
  run(folder);
  std::filesystem::remove(folder.path("run/best"));
  folder.write("run/checkpoints/step-000030/model.safetensors", "rubbish");
  const std::string checkpoints = folder.path("run/checkpoints/");
  const std::string message = message_of([&] { open_translation_run(folder.path("run")); });
  CHECK(message.starts_with(checkpoints + "step-000030/model.safetensors: "));
  CHECK(message.ends_with("; to use the checkpoint before, give " + checkpoints + "step-000020"));
  CHECK(open_translation_run(checkpoints + "step-000020").checkpoint ==
        checkpoints + "step-000020");
}

TEST_CASE("a broken link to the best checkpoint is an error") {
  const TemporaryFolder folder;
  run(folder);
  std::filesystem::remove(folder.path("run/best"));
  std::filesystem::create_directory_symlink("checkpoints/step-000007", folder.path("run/best"));
  const std::string best = folder.path("run/best");
  CHECK(message_of([&] { open_translation_run(folder.path("run")); }) ==
        best + ": is a link to checkpoints/step-000007, which does not exist; restore it or give " +
            folder.path("run") + "/last for the newest");
}

TEST_CASE("a copy of a run that has lost its links still has its best checkpoint") {
  const TemporaryFolder folder;
  run(folder, {"training.learning_rate=0.2", "training.warmup_steps=0",
               "training.validate_every=2u", "training.save_every=2u"});
  const std::string best = "run/" + std::filesystem::read_symlink(folder.path("run/best")).string();
  REQUIRE(std::filesystem::read_symlink(folder.path("run/last")) !=
          std::filesystem::read_symlink(folder.path("run/best")));
  std::filesystem::remove(folder.path("run/best"));
  std::filesystem::remove(folder.path("run/last"));
  CHECK(open_translation_run(folder.path("run")).checkpoint == folder.path(best));
  CHECK(weights_file(folder.path("run")) == folder.path(best) + "/model.safetensors");
  std::filesystem::remove_all(folder.path(best));
  const std::string newest = open_translation_run(folder.path("run")).checkpoint;
  CHECK(newest == folder.path("run/checkpoints/step-000030"));
}
