#include "train/trainer.h"

#include "train/training.h"

namespace calque {

TrainResult train(const Config& config, const RunFolder& run, Loudness loudness) {
  Training training(config, run, loudness);
  const TrainResult result = training.run();
  training.close_log();
  return result;
}

}  // namespace calque
