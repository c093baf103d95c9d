#pragma once
// A small run: its config, and the functions that tests of runs share.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/temporary_folder.h"
#include "support/message_of.h"
#include "support/small_configs.h"
#include "train/config/load.h"
#include "train/tasks/registry.h"
#include "train/trainer.h"

namespace calque {

inline constexpr const char* small_training = R"(
training:
  until: 30u
  batch_tokens: 256
  schedule: constant
  learning_rate: 0.003
  warmup_steps: 0
  validate_every: 10u
  save_every: 10u
logging: {every: 10, report: false}
)";

inline const std::string small = small_translation + small_training;

inline Config config(const std::vector<std::string>& settings = {}) {
  return parse_config(small, "small.yaml", settings).config;
}

inline TrainResult run(const TemporaryFolder& folder, const std::vector<std::string>& settings = {},
                       const char* name = "run") {
  return train(config(settings), {folder.path(name)}, Loudness::quiet, make_task);
}

// The bytes of the tensor files of a checkpoint, named by run and step: "run 000030".
inline std::string tensors(const TemporaryFolder& folder, const std::string& run_and_step) {
  const std::string checkpoint = run_and_step.substr(0, run_and_step.find(' ')) +
                                 "/checkpoints/step-" +
                                 run_and_step.substr(run_and_step.find(' ') + 1);
  std::string all = folder.read(checkpoint + "/model.safetensors") +
                    folder.read(checkpoint + "/optimizer.safetensors");
  REQUIRE(all.size() > 1000);
  return all;
}

}  // namespace calque
