// Checkpoints written in the background.

#include <doctest/doctest.h>

#include <filesystem>
#include <thread>

#include "support/simulated_files.h"
#include "train/storage/checkpoint_writer.h"
#include "train/storage/fixture.h"

using namespace calque;

namespace {

void save_in_background(CheckpointWriter& writer, SmallRun& run, int64_t step, int64_t keep_last) {
  writer.save(run.model<NamedTensor>(), run.optimizer<NamedTensor>(),
              {.state = run.state(step), .keep_last = keep_last, .keep_steps = {1}, .best = 1});
}

}  // namespace

TEST_CASE("training may change the tensors as soon as a background save has begun") {
  const ScratchFolder folder;
  Checkpoints checkpoints(real_files(), folder.path());
  {
    CheckpointWriter writer(checkpoints);
    for (int64_t step = 1; step <= 20; ++step) {
      SmallRun run = SmallRun::at_step(step);
      save_in_background(writer, run, step, 2);
      for (real& value : run.values) value = real(-7);
    }
    writer.finish();
    CHECK(writer.take_complaints().empty());
    CHECK(load_step(real_files(), folder.path()) == 20);
    SmallRun run = SmallRun::at_step(21);
    save_in_background(writer, run, 21, 2);
  }
  CHECK(load_step(real_files(), folder.path()) == 21);
  CHECK(checkpoints.steps() == std::vector<int64_t>{21, 20, 1});
  CHECK(std::filesystem::read_symlink(folder.path() + "/last") == "checkpoints/step-000021");
  CHECK(std::filesystem::read_symlink(folder.path() + "/best") == "checkpoints/step-000001");
}

TEST_CASE("the failure of a background save is thrown once, by the next call") {
  SimulatedFiles disk;
  make_folder(disk, "run");
  FaultyFiles files(disk);
  Checkpoints checkpoints(files, "run");
  CheckpointWriter writer(checkpoints);
  SmallRun run = SmallRun::at_step(1);
  save_in_background(writer, run, 1, 1);
  writer.finish();
  files.fail(5, ENOSPC, FaultyFiles::Fault::from_then_on);
  run = SmallRun::at_step(2);
  save_in_background(writer, run, 2, 1);
  CHECK_THROWS_AS(save_in_background(writer, run, 2, 1), FileError);
  writer.finish();
  CHECK(load_step(disk, "run") == 1);
  files.fail(-1, 0);
  save_in_background(writer, run, 2, 1);
  writer.finish();
  CHECK(load_step(disk, "run") == 2);
}

TEST_CASE("a state is replaced in the background too, and ended() reports the end") {
  const ScratchFolder folder;
  Checkpoints checkpoints(real_files(), folder.path());
  CheckpointWriter writer(checkpoints);
  CHECK(!writer.ended());
  SmallRun run = SmallRun::at_step(1);
  save_in_background(writer, run, 1, 1);
  CheckpointJob job;
  job.state = run.state(1);
  job.state.tokens = 77;
  writer.save_state(job);
  while (!writer.ended()) std::this_thread::yield();
  writer.finish();
  CHECK(!writer.ended());
  SmallRun loaded;
  CHECK(loaded.load(real_files(), checkpoints.folder(1)).tokens == 77);
  CHECK(loaded.values == run.values);
}

TEST_CASE("a failure after a save is reported as a warning, not thrown as an error") {
  const SimulatedFiles before = [] {
    SimulatedFiles files;
    make_folder(files, "run");
    save_step(files, "run", 1);
    save_step(files, "run", 2);
    return files;
  }();
  SimulatedFiles counted_disk = before;
  FaultyFiles counted(counted_disk);
  save_step(counted, "run", 3);

  SimulatedFiles disk = before;
  FaultyFiles files(disk);
  Checkpoints checkpoints(files, "run");
  CheckpointWriter writer(checkpoints);
  files.fail(counted.calls(), EPERM, FaultyFiles::Fault::from_then_on);
  SmallRun run = SmallRun::at_step(3);
  save_in_background(writer, run, 3, 1);
  writer.finish();
  CHECK(writer.take_complaints().size() == 3);
  CHECK(writer.take_complaints().empty());
  CHECK(load_step(disk, "run") == 3);
}
