// Possible states of the disk after a crash of the machine, read as by the next process.

#include <doctest/doctest.h>

#include "support/simulated_files.h"
#include "train/storage/fixture.h"

using namespace calque;

namespace {

// Saves, links and prunes checkpoints as a training run does between two steps.
void save_and_tidy(FileSystem& files, int64_t step, int64_t keep_last) {
  save_step(files, "run", step);
  Checkpoints checkpoints(files, "run");
  checkpoints.link("last", step);
  checkpoints.prune(step, keep_last, {});
}

// What the next process does after the crash; it must be able to continue.
int64_t recover_and_continue(SimulatedFiles& files) {
  Checkpoints checkpoints(files, "run");
  std::vector<DamagedCheckpoint> damaged;
  const int64_t step = load_step(files, "run", damaged);
  for (const DamagedCheckpoint& one : damaged) checkpoints.set_aside(one);
  checkpoints.remove_leftovers();
  CHECK(load_step(files, "run") == step);
  save_and_tidy(files, 300, 1);
  CHECK(load_step(files, "run") == 300);
  CHECK(checkpoints.steps() == std::vector<int64_t>{300});
  return step;
}

}  // namespace

TEST_CASE("after a crash during the first save there is no checkpoint, or a complete one") {
  SimulatedFiles files;
  make_folder(files, "run");
  files.start_recording();
  save_step(files, "run", 100);
  int states = 0;
  files.for_each_crash([&](SimulatedFiles& after) {
    ++states;
    const int64_t step = recover_and_continue(after);
    CHECK((step == -1 || step == 100));
  });
  CHECK(states > 500);
}

TEST_CASE("after a crash during a save, with links and pruning, the old or the new one is loaded") {
  for (const int64_t keep_last : {1, 2}) {
    SimulatedFiles files;
    make_folder(files, "run");
    save_and_tidy(files, 50, keep_last);
    save_and_tidy(files, 100, keep_last);
    files.start_recording();
    save_and_tidy(files, 200, keep_last);
    int old_ones = 0, new_ones = 0;
    files.for_each_crash([&](SimulatedFiles& after) {
      const int64_t step = recover_and_continue(after);
      CHECK((step == 100 || step == 200));
      ++(step == 100 ? old_ones : new_ones);
    });
    CHECK(old_ones > 500);
    CHECK(new_ones > 0);
  }
}

TEST_CASE("after a crash while a step is saved a second time, that step is loaded") {
  SimulatedFiles files;
  make_folder(files, "run");
  save_and_tidy(files, 50, 2);
  save_and_tidy(files, 100, 2);
  files.start_recording();
  save_and_tidy(files, 100, 2);
  files.for_each_crash([](SimulatedFiles& after) { CHECK(recover_and_continue(after) == 100); });
}

TEST_CASE("once a save has returned, no crash loses its checkpoint") {
  SimulatedFiles files;
  make_folder(files, "run");
  files.start_recording();
  for (const int64_t step : {100, 200, 200}) {
    save_step(files, "run", step);
    int states = 0;
    files.for_each_crash_now([&](SimulatedFiles& after) {
      ++states;
      CHECK(load_step(after, "run") == step);
    });
    CHECK(states > 0);
  }
}

TEST_CASE("after a crash while only its state is saved, a checkpoint has the old one or the new") {
  SimulatedFiles files;
  make_folder(files, "run");
  save_step(files, "run", 100);
  TrainingState state = SmallRun::at_step(100).state(100);
  state.early_stopping.validations = 7;
  files.start_recording();
  Checkpoints(files, "run").save_state(state);
  const std::string folder = Checkpoints(files, "run").folder(100);
  int old_ones = 0, new_ones = 0;
  files.for_each_crash([&](SimulatedFiles& after) {
    SmallRun loaded;
    ++(loaded.load(after, folder).early_stopping.validations == 7 ? new_ones : old_ones);
    CHECK(loaded.values == SmallRun::at_step(100).values);
  });
  CHECK(old_ones > 10);
  CHECK(new_ones > 0);
}

TEST_CASE("the simulation finds a rename that was not preceded by a sync") {
  SimulatedFiles files;
  files.start_recording();
  const int file = files.open("new", OpenFor::creating);
  const std::string text = "contents";
  files.write(file, std::as_bytes(std::span(text)));
  files.close(file);
  files.rename("new", "final");
  bool torn = false;
  files.for_each_crash([&](SimulatedFiles& after) {
    std::vector<std::string> names;
    after.list_folder("", names);
    for (const std::string& name : names) {
      if (name == "final" && after.contents("final") != text) torn = true;
    }
  });
  CHECK(torn);
}
