#pragma once
// Run folders like real ones, for tests of pages without training: curves with noise and spikes, a
// config, and translations that improve.

#include <cstdint>
#include <filesystem>
#include <string>

namespace calque::tests {

struct MadeUpRun {
  int64_t steps = 8000;
  int64_t logged_every = 50;
  int64_t validated_every = 500;
  double final_loss = 1.35;  // the limit of the loss
  double speed = 1.0;        // how fast the loss approaches its limit
  int64_t warmup_steps = 800;
  double learning_rate = 1e-3;
  uint32_t seed = 1;
  bool scores = true;    // BLEU, chrF, exact
  bool text = false;     // a language model: bits per character and byte, prompts and texts
  bool hostile = false;  // texts that try to break out of the page
};

// Writes FOLDER/metrics.jsonl and FOLDER/config.yaml.
void write_made_up_run(const std::filesystem::path& folder, const MadeUpRun& run);

}  // namespace calque::tests
