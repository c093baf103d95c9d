// Runs of several ranks, which are threads here: their number does not change the bits.
#include <doctest/doctest.h>

#include <filesystem>
#include <mutex>

#include "core/threads/parallel.h"
#include "support/thread_ranks.h"
#include "train/tasks/fixture.h"

using namespace calque;

namespace {

using Settings = std::vector<std::string>;

TrainResult run_ranks(int count, const Config& config, const TemporaryFolder& folder,
                      const std::string& name) {
  std::mutex mutex;
  TrainResult result{};
  run_thread_ranks(count, [&](Communicator& ranks) {
    set_threads(1);
    const TrainResult one = train(config, {folder.path(name)}, Loudness::quiet, make_task, ranks);
    const std::scoped_lock lock(mutex);
    if (ranks.is_rank_zero()) result = one;
  });
  return result;
}

Config with(Settings settings) {
  settings.insert(settings.begin(), "training.parts=4");
  return config(settings);
}

std::string without_times(const std::string& metrics) {
  std::string text;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json record = nlohmann::json::parse(line);
    record.erase("timing");
    text += record.dump() + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("1, 2 and 4 ranks write the same checkpoints and the same log, with several settings") {
  for (const Settings& settings :
       std::vector<Settings>{{"model.dropout=0.2", "training.clip_norm=0.5"},
                             {"training.optimizer=adamw", "training.weight_decay=0.1"},
                             {"training.optimizer=sgd", "training.learning_rate=0.1"},
                             {"training.optimizer=adafactor"},
                             {"training.optimizer=muon", "training.weight_decay=0.1"},
                             {"training.exchange=bfloat16"},
                             {"training.outer_steps=3", "model.dropout=0.2", "training.ema=0.9"},
                             {"training.outer_steps=2", "training.optimizer=adafactor"},
                             {"training.outer_steps=2", "training.optimizer=sgd",
                              "training.accumulation=2", "training.parts=8"},
                             {"training.ema=0.9", "training.accumulation=2"},
                             {"training.validate_translate=greedy", "training.parts=16"}}) {
    CAPTURE(settings);
    const TemporaryFolder folder;
    const Config config = with(settings);
    CHECK(run_ranks(1, config, folder, "w1").step == 30);
    for (const int count : settings.size() > 1 ? std::vector{2, 4} : std::vector{4}) {
      CAPTURE(count);
      const std::string name = fmt::format("w{}", count);
      CHECK(run_ranks(count, config, folder, name).step == 30);
      CHECK(tensors(folder, name + " 000030") == tensors(folder, "w1 000030"));
      CHECK(without_times(folder.read(name + "/metrics.jsonl")) ==
            without_times(folder.read("w1/metrics.jsonl")));
    }
  }
}

TEST_CASE("metrics.jsonl has the share of the exchange in the time, and its bytes") {
  const TemporaryFolder folder;
  const auto timing = [&](int count, const std::string& exchange) {
    const std::string name = fmt::format("{}-{}", exchange, count);
    run_ranks(count, with({"training.exchange=" + exchange}), folder, name);
    std::istringstream lines(folder.read(name + "/metrics.jsonl"));
    std::string line;
    std::getline(lines, line);
    return nlohmann::json::parse(line)["timing"];
  };
  CHECK_FALSE(timing(1, "float32").contains("exchange_share"));
  const auto task = make_task(config(), {folder.path("plan")}, {TaskStart::Purpose::plan});
  const double weights = 1e-6 * sizeof(real) * static_cast<double>(task->parameters().flat_size());
  const nlohmann::json two = timing(2, "float32"), four = timing(4, "float32");
  for (const nlohmann::json& ranks : {two, four}) {
    CHECK(ranks["exchange_share"] > 0);
    CHECK(ranks["exchange_share"] < 1);
  }
  // Besides gradients and weights, ranks exchange a few numbers.
  CHECK(double(two["exchange_mb"]) == doctest::Approx(weights).epsilon(0.1));
  CHECK(double(four["exchange_mb"]) == doctest::Approx(1.5 * weights).epsilon(0.1));
  if (sizeof(real) == sizeof(float)) {
    const nlohmann::json halves = timing(2, "bfloat16");
    CHECK(double(halves["exchange_mb"]) == doctest::Approx(0.75 * weights).epsilon(0.1));
  }
}

TEST_CASE("every task trains on two ranks to the same bits as on one") {
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    Settings settings = task.random;
    settings.push_back("training.parts=2");
    const Config config = parse_config(task.config, "small.yaml", settings).config;
    const TemporaryFolder folder;
    run_ranks(1, config, folder, "one");
    run_ranks(2, config, folder, "two");
    CHECK(tensors(folder, "two 000030") == tensors(folder, "one 000030"));
    CHECK(without_times(folder.read("two/metrics.jsonl")) ==
          without_times(folder.read("one/metrics.jsonl")));
  }
}

TEST_CASE("a run that is resumed on another number of ranks ends in the same bits") {
  for (const Settings& settings :
       std::vector<Settings>{{"training.ema=0.9"},
                             {"training.optimizer=adafactor"},
                             {"training.optimizer=muon"},
                             {"training.outer_steps=3", "training.ema=0.9"},
                             {"training.outer_steps=2", "training.optimizer=adafactor"}}) {
    CAPTURE(settings);
    const TemporaryFolder folder;
    const auto until = [&](const char* updates) {
      Settings all = settings;
      all.push_back(std::string("training.until=") + updates);
      return with(all);
    };
    run_ranks(1, until("30u"), folder, "whole");
    run_ranks(4, until("7u"), folder, "turns");
    run_ranks(1, until("13u"), folder, "turns");
    run_ranks(2, until("22u"), folder, "turns");
    CHECK(run_ranks(4, until("30u"), folder, "turns").ending == Ending::finished);
    CHECK(tensors(folder, "turns 000030") == tensors(folder, "whole 000030"));
  }
}

TEST_CASE("ranks that do not divide the parts of a step are refused") {
  const TemporaryFolder folder;
  const std::string message =
      message_of([&] { run_ranks(4, config({"training.parts=2"}), folder, "run"); });
  CHECK_MESSAGE(message.find("training.parts: 4 ranks cannot share 2 parts") != std::string::npos,
                message);
}

TEST_CASE("a rank with another config is refused with its number, but threads may differ") {
  const TemporaryFolder folder;
  const auto start = [&](const std::string& setting) {
    return message_of([&] {
      run_thread_ranks(2, [&](Communicator& ranks) {
        set_threads(1);
        Settings settings{"training.parts=2", "training.until=3u"};
        if (ranks.rank() == 1) settings.push_back(setting);
        train(config(settings), {folder.path("run")}, Loudness::quiet, make_task, ranks);
      });
    });
  };
  const std::string message = start("training.seed=7");
  CHECK_MESSAGE(message.starts_with("rank 1 on "), message);
  CHECK_MESSAGE(message.find("training.seed: 7 instead of 1") != std::string::npos, message);
  CHECK(start("training.threads=1").empty());
}

TEST_CASE("steps that are not finite end a run on two ranks with the same message as on one") {
  const TemporaryFolder folder;
  for (const std::string outer : {"0", "3"}) {
    const Settings settings{"training.learning_rate=1e30", "training.max_bad_steps=3",
                            "training.outer_steps=" + outer};
    const std::string one =
        message_of([&] { run_ranks(1, with(settings), folder, "one" + outer); });
    const std::string two =
        message_of([&] { run_ranks(2, with(settings), folder, "two" + outer); });
    CHECK_MESSAGE(one.find("not finite") != std::string::npos, one);
    CHECK(two == one);
  }
}
