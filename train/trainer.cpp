#include "train/trainer.h"

#include <exception>

#include "train/run/training.h"

namespace calque {

TrainResult train(const Config& config, const RunFolder& run, const RunObserver& observer,
                  const MakeTask& make_task, Communicator& ranks) {
  Training training(config, run, observer, make_task, ranks);
  try {
    const TrainResult result = training.run();
    training.close_log();
    return result;
  } catch (const std::exception& error) {
    training.ended_by(error.what());
    throw;
  }
}

}  // namespace calque
