// Averages of weights, and weights that other runs start from, for every task.
#include "train/weights/averaging.h"

#include <algorithm>
#include <filesystem>

#include "train/storage/checkpoints.h"
#include "train/tasks/fixture.h"
#include "train/tasks/run_weights.h"

namespace calque {
namespace {

TEST_CASE("with ema, checkpoints hold the average of the weights, for every task") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    const Settings brief = {"training.until=4u", "training.save_every=1u", "training.keep_last=9"};
    run_task(task, folder,
             {"training.until=1u", "training.learning_rate=1e-30", "training.weight_decay=0"},
             "start");
    run_task(task, folder, joined(brief, {"training.weight_decay=0"}), "plain");
    run_task(task, folder, joined(brief, {"training.weight_decay=0", "training.ema=0.1"}),
             "averaged");
    std::vector<double> expected = weights(folder, "start/last");
    for (int step = 1; step <= 4; ++step) {
      const auto of_step = weights(folder, fmt::format("plain/checkpoints/step-00000{}", step));
      for (size_t i = 0; i < of_step.size(); ++i) {
        expected[i] += 0.9 * (of_step[i] - expected[i]);
      }
    }
    const auto averaged = weights(folder, "averaged/last");
    CHECK(largest_difference(averaged, expected) < 1e-6);
    CHECK(largest_difference(averaged, weights(folder, "plain/last")) > 1e-4);
  }
}

TEST_CASE(
    "with init_from, every task starts from the weights of a run with the same tokenizer only") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    run_task(task, folder);
    const Settings tuning = {"training.until=1u", "training.learning_rate=1e-12",
                             "training.weight_decay=0", "model.init_from=" + folder.path("run")};
    run_task(task, folder, tuning, "tuned");
    CHECK(mentions(folder.read("tuned/train.log"), "parameters start from"));
    CHECK_FALSE(mentions(folder.read("tuned/train.log"), "not loaded: "));
    CHECK(largest_difference(weights(folder, "tuned"), weights(folder, "run/best")) < 1e-6);

    if (!task.has_tokenizer) continue;
    // The same number of symbols, but different ones.
    std::string text = task.corpus_text;
    run_task(task, folder, on_a_file(task, folder.write("text", text)), "first");
    std::ranges::replace(text, 'a', 'q');
    const Settings other = joined(on_a_file(task, folder.write("text", text)),
                                  {"model.init_from=" + folder.path("first")});
    const std::string message = message_of([&] { run_task(task, folder, other, "second"); });
    CHECK_MESSAGE(mentions(message, "has another tokenizer than this run"), message);
    CHECK(mentions(message, "tokenizer.files"));
    CHECK_FALSE(std::filesystem::exists(folder.path("second/checkpoints/step-000000")));
  }
}

TEST_CASE("an average of checkpoints has the mean of each weight and is not trained further") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    run_task(task, folder);
    average_weights(last_checkpoints(folder.path("run"), 2), folder.path("mean"), make_task);
    const auto a = weights(folder, "run/checkpoints/step-000020");
    const auto b = weights(folder, "run/checkpoints/step-000030");
    const auto mean = weights(folder, "mean");
    REQUIRE(largest_difference(a, b) > 1e-4);
    for (size_t i = 0; i < mean.size(); ++i) REQUIRE(mean[i] == real((a[i] + b[i]) / 2));
    CHECK(load_state(real_files(), folder.path("mean/last")).mean_of == 2);
    const std::string message =
        message_of([&] { run_task(task, folder, {"training.until=40u"}, "mean"); });
    CHECK_MESSAGE(mentions(message, "is an average of checkpoints"), message);
  }
}

TEST_CASE("a translator and a language model cannot be averaged") {
  const TemporaryFolder folder;
  for (const TaskCase& task : all_models()) {
    run_task(task, folder, {"training.until=1u"}, task.name.c_str());
  }
  CHECK_FALSE(message_of([&] {
                average_weights({folder.path("translation"), folder.path("language-model")},
                                folder.path("mean"), make_task);
              }).empty());
  CHECK_FALSE(std::filesystem::exists(folder.path("mean")));
}

}  // namespace
}  // namespace calque
