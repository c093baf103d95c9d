// Which checkpoints count as the best, also when one of them could not be saved.
#include "train/weights/best_checkpoints.h"

#include <doctest/doctest.h>

#include <map>
#include <vector>

namespace calque {
namespace {

// The validations of a run that keeps the two checkpoints with the lowest loss.
struct Run {
  TrainingConfig training;
  TrainingState state;

  Run() { training.keep_best = 2; }
  bool validate(int64_t step, double loss) {
    state.step = step;
    return record_score(loss, Better::lower, training, state);
  }
  std::vector<int64_t> best() const {
    std::vector<int64_t> steps;
    for (const Score& score : best_scores(training, state)) steps.push_back(score.step);
    return steps;
  }
  void save_failed(const std::vector<Score>& saved, const std::vector<int64_t>& steps) {
    restore_saved_scores(saved, steps, Better::lower, training, state);
  }
};

using Steps = std::vector<int64_t>;

TEST_CASE("the best scores are kept in order, and a worse one is not among them") {
  Run run;
  CHECK(run.best() == Steps{});
  CHECK(run.validate(10, 3));
  CHECK(run.validate(20, 2));
  CHECK_FALSE(run.validate(30, 4));
  CHECK_FALSE(run.validate(40, 3));
  CHECK(run.validate(50, 2.5));
  CHECK(run.best() == Steps{20, 50});
  CHECK(run.state.early_stopping.without_gain == 3);
  CHECK(*checkpoint_job(run.state, run.training).best == 20);
}

TEST_CASE("a score whose checkpoint could not be saved makes room for the one it displaced") {
  Run run;
  run.validate(10, 3);
  run.validate(20, 2);
  const std::vector<Score> saved = best_scores(run.training, run.state);
  run.validate(30, 1);
  CHECK(run.best() == Steps{30, 20});
  run.state.step = 35;
  run.save_failed(saved, {10, 20});
  CHECK(run.best() == Steps{20, 10});
  CHECK(checkpoint_job(run.state, run.training).keep_steps == Steps{20, 10});
  CHECK(run.validate(40, 2.5));
  run.save_failed(saved, {10, 20});  // 40 is about to be saved
  CHECK(run.best() == Steps{20, 40});
}

TEST_CASE("a score stays if the failed save only updated the state of its checkpoint") {
  Run run;
  run.validate(10, 3);
  const std::vector<Score> saved = best_scores(run.training, run.state);
  run.validate(20, 2);
  run.state.step = 25;
  run.save_failed(saved, {10, 20});
  CHECK(run.best() == Steps{20, 10});
}

TEST_CASE("a metric whose higher values are better keeps the highest") {
  TrainingConfig training;
  training.metric = "bleu";
  TrainingState state;
  state.step = 10;
  CHECK(record_score(30, Better::higher, training, state));
  state.step = 20;
  CHECK_FALSE(record_score(29, Better::higher, training, state));
  state.step = 30;
  CHECK(record_score(31, Better::higher, training, state));
  CHECK(state.best.at("bleu") == std::vector<Score>{{.value = 31, .step = 30}});
}

}  // namespace
}  // namespace calque
