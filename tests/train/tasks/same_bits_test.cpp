// Every task trains in the same bits, whatever the threads, the memory and the interruptions.
#include <algorithm>
#include <filesystem>

#include "core/memory/pool.h"
#include "support/threads.h"
#include "train/step/learner.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/fixture.h"
#include "train/tasks/run_weights.h"

namespace calque {
namespace {

// The memory of a step over the largest micro-batch of a task in this number of chunks, in kB,
// rounded up.
int64_t kilobytes_of_step(const TaskCase& task, int64_t chunks) {
  const Config config = config_of_task(task);
  const auto made = make_task(config, {}, {TaskStart::Purpose::plan});
  Learner learner(config.training, made->parameters());
  learner.initialise();
  const auto largest = made->training({}, config.training.batch_tokens)->largest();
  return learner.memory_of_step(*largest, {1, chunks}) / 1000 + 1;
}

// The weights after three steps in slices.
std::vector<double> weights_after_steps(const TaskCase& task, int64_t slices) {
  const Config config = config_of_task(task);
  const auto made = make_task(config, {}, {TaskStart::Purpose::plan});
  Learner learner(config.training, made->parameters());
  learner.initialise();
  learner.divide({.slices = slices, .chunks = 1});
  const auto stream = made->training({}, config.training.batch_tokens);
  for (int64_t step = 0; step < 3; ++step) {
    Works works;
    works.push_back(stream->next());
    CHECK(learner.step(works, step, 1e-3).update.finite);
  }
  const std::span<const real> values = made->parameters().values();
  return {values.begin(), values.end()};
}

// Checks every model of the task. Each task has its own test case, so that they run in parallel.
void check_resumed_bits(TaskKind kind) {
  // The memory of a step, which decides the number of chunks, varies with several threads: it
  // depends on which of their scratch memory is held at the same time.
  const Threads one(1);
  int found = 0;
  for (const TaskCase& task : all_models()) {
    if (config_of_task(task).task != kind) continue;
    ++found;
    CAPTURE(task.name);
    const std::string limit = fmt::format("training.memory_limit={}kB", kilobytes_of_step(task, 2));
    const TemporaryFolder folder;
    run_task(task, folder, task.random, "plain");
    const std::string plain = tensors(folder, "plain 000030");
    std::vector<Settings> several = {{}, {"training.parts=4"}, {"training.r_drop=2"}, {limit}};
    if (found == 1) {  // the settings that do not concern the forward pass
      several.insert(several.end(), {{"training.accumulation=2"},
                                     {"training.ema=0.9"},
                                     {"training.save_in_background=false"}});
    }
    for (const Settings& settings : several) {
      const std::string changes = fmt::format("{}", fmt::join(settings, " "));
      CAPTURE(changes);
      const bool has_dropout = mentions(task.random[0], "dropout");
      if (!has_dropout && settings == Settings{"training.r_drop=2"}) continue;
      std::filesystem::remove_all(folder.path("whole"));
      std::filesystem::remove_all(folder.path("parts"));
      const Settings all = joined(task.random, settings);
      run_task(task, folder, all, "whole");
      run_task(task, folder, joined(all, {"training.until=13u"}), "parts");
      const TrainResult result = run_task(task, folder, all, "parts");
      CHECK(result.ending == Ending::finished);
      CHECK(result.step == 30);
      const std::string whole = tensors(folder, "whole 000030");
      CHECK(whole == tensors(folder, "parts 000030"));
      const bool changes_nothing = settings.empty() ||
                                   mentions(settings[0], "save_in_background") ||
                                   (settings[0] == limit && !task.chunks_change_bits);
      CHECK((whole == plain) == changes_nothing);
    }
  }
  CHECK(found > 0);
}

TEST_CASE("every task's steps in slices have the same bits on any number of threads") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    std::vector<std::vector<double>> ends;
    for (const int count : {1, 2, 3, 8}) {
      const Threads some(count);
      ends.push_back(weights_after_steps(task, 4));
    }
    for (const auto& weights : ends) CHECK(weights == ends.front());
    CHECK(largest_difference(weights_after_steps(task, 1), ends.front()) < 0.02);
  }
}

TEST_CASE("every task's training ends in the same bits on 1, 2 and 4 threads") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    for (const int count : {1, 2, 4}) {
      const Threads some(count);
      run_task(task, folder, task.random, fmt::format("t{}", count).c_str());
    }
    CHECK(tensors(folder, "t1 000030") == tensors(folder, "t2 000030"));
    CHECK(tensors(folder, "t1 000030") == tensors(folder, "t4 000030"));
  }
}

TEST_CASE("a translator resumes in the same bits as without interruption, with several settings") {
  check_resumed_bits(TaskKind::translation);
}

TEST_CASE(
    "a language model resumes in the same bits as without interruption, with several settings") {
  check_resumed_bits(TaskKind::language_model);
}

TEST_CASE("a masked LM resumes in the same bits as without interruption, with several settings") {
  check_resumed_bits(TaskKind::masked_lm);
}

TEST_CASE("a classifier resumes in the same bits as without interruption, with several settings") {
  check_resumed_bits(TaskKind::classification);
}

TEST_CASE(
    "an image model resumes in the same bits as without interruption, with several settings") {
  check_resumed_bits(TaskKind::images);
}

TEST_CASE("word2vec resumes in the same bits as without interruption, with several settings") {
  check_resumed_bits(TaskKind::word2vec);
}

TEST_CASE("a tagger resumes in the same bits as without interruption, with several settings") {
  check_resumed_bits(TaskKind::tagging);
  CHECK(std::size(task_kinds) == 7);  // one test case each
}

TEST_CASE("a run keeps its number of chunks while it keeps its limit, on any machine") {
  const Threads one(1);  // as in check_resumed_bits()
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    const auto state = [&] { return load_state(real_files(), folder.path("run/last")); };
    const Settings limited = {
        fmt::format("training.memory_limit={}kB", kilobytes_of_step(task, 2))};
    run_task(task, folder, limited);
    CHECK(state().chunks == 2);
    CHECK(mentions(folder.read("run/train.log"), "each batch is split into 2 chunks"));

    TrainingState elsewhere = state();
    elsewhere.chunks = 4;
    replace_text(real_files(), folder.path("run/last/state.json"), format_state(elsewhere));
    run_task(task, folder, joined(limited, {"training.until=40u"}));
    CHECK(state().chunks == 4);
    run_task(task, folder, {"training.until=50u"});
    CHECK(state().chunks == 1);

    const std::string message =
        message_of([&] { run_task(task, folder, {"training.memory_limit=1kB"}, "none"); });
    CHECK_MESSAGE(message.starts_with("training.memory_limit of 1kB is too small"), message);
    CHECK_FALSE(std::filesystem::exists(folder.path("none/checkpoints/step-000000")));
  }
}

TEST_CASE("a stream opened at a position continues with the micro-batches that follow") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const Config config = config_of_task(task);
    const auto made = make_task(config, {}, {TaskStart::Purpose::plan});
    const auto stream = made->training({}, config.training.batch_tokens);
    const int64_t works = stream->epoch_sizes().at(0).works;
    REQUIRE(works > 4);
    std::string seen;
    int64_t most = 0;
    for (int64_t i = 0; i < works + 2; ++i) {
      const auto work = stream->next();
      if (i < works) most = std::max(most, work->size().tokens);
      if (i >= 3) seen += work->where() + "\n";
      CHECK(stream->position().epoch == (i + 1) / works);
      CHECK(stream->position().position == (i + 1) % works);
    }
    CHECK(stream->epochs() == doctest::Approx(1 + 2.0 / double(works)));
    const auto later = made->training({0, 3}, config.training.batch_tokens);
    std::string again;
    for (int64_t i = 3; i < works + 2; ++i) again += later->next()->where() + "\n";
    CHECK(again == seen);
    CHECK(stream->largest()->size().tokens == most);
  }
}

}  // namespace
}  // namespace calque
