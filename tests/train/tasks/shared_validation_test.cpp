// A validation shared by several ranks, which are threads here.
#include "train/tasks/shared_validation.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <mutex>

#include "core/threads/parallel.h"
#include "support/thread_ranks.h"
#include "train/ranks/agreement.h"
#include "train/tasks/fixture.h"

using namespace calque;

namespace {

bool never() { return false; }

// Validations of at least five batches.
Config of_many_batches(const TaskCase& task) {
  std::vector<std::string> settings = task.measure_all;
  const bool pairs = task.corpus_key == "tsv", text = task.corpus_key == "text";
  if (pairs) {
    settings.insert(settings.end(), {"training.batch_tokens=16", "decoding.batch_tokens=20"});
  }
  const std::string from_toy = task.config.substr(task.config.find("validation: ") + 12);
  settings.push_back("data.validation=" + from_toy.substr(0, from_toy.find(',')) + ", pairs: " +
                     (pairs  ? "20}"
                      : text ? "250}"
                             : "1300}"));
  return config_of_task(task, settings);
}

using RankScores = std::optional<Scores>;

// What each rank gets from one validation with the initial weights.
std::vector<RankScores> validate(int count, const Config& config, const TemporaryFolder& folder,
                                 const std::function<bool(int rank)>& stop,
                                 int threads_of_rank = 1) {
  std::filesystem::create_directories(folder.path("run"));
  std::vector<RankScores> all(static_cast<size_t>(count));
  std::mutex mutex;
  run_thread_ranks(count, [&](Communicator& ranks) {
    set_threads(threads_of_rank);
    const RunFolder run{folder.path("run")};
    const auto begin = [&] { return make_task(config, run, {TaskStart::Purpose::begin}); };
    const std::unique_ptr<Task> task = make_tasks(ranks, begin, config, run, make_task);
    task->parameters().initialise(5);
    RankScores own = task->validate(ranks, [&] { return stop(ranks.rank()); });
    const std::scoped_lock lock(mutex);
    all[static_cast<size_t>(ranks.rank())] = std::move(own);
  });
  return all;
}

}  // namespace

TEST_CASE("ranks take batches in turn, and all receive the results of each") {
  run_thread_ranks(4, [](Communicator& ranks) {
    BatchShare share(ranks, never);
    std::vector<int64_t> results;
    std::vector<std::string> texts;
    std::vector<LossSums> sums;
    for (int i = 0; i < 10; ++i) {
      results.emplace_back(), texts.emplace_back(), sums.emplace_back();
      const bool takes = share.computes_next();
      CHECK(takes == (i % 4 == ranks.rank()));
      if (!takes) continue;
      results.back() = -i;
      texts.back() = std::string(static_cast<size_t>(i), '\n');
      sums.back() = {.loss = 0.1 * i, .nll = -0.1 * i, .correct = i, .terms = 2 * i};
    }
    share.join(results);
    share.join(texts);
    LossSums expected;
    for (int i = 0; i < 10; ++i) {
      CHECK(results[static_cast<size_t>(i)] == -i);
      CHECK(texts[static_cast<size_t>(i)] == std::string(static_cast<size_t>(i), '\n'));
      expected += {.loss = 0.1 * i, .nll = -0.1 * i, .correct = i, .terms = 2 * i};
    }
    CHECK(share.sum(sums) == expected);
  });
}

TEST_CASE("a validation of many batches has the same bits on any number of threads") {
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    const Config config = of_many_batches(task);
    const TemporaryFolder folder;
    const auto run = [&](int count) {
      return *validate(
                  1, config, folder, [](int) { return false; }, count)
                  .front();
    };
    const Scores one = run(1);
    for (const int count : {2, 3, 20}) {
      CAPTURE(count);
      const Scores scores = run(count);
      CHECK(scores.values == one.values);
      REQUIRE(scores.tables.size() == one.tables.size());
      for (size_t i = 0; i < one.tables.size(); ++i) {
        CHECK(scores.tables[i].rows == one.tables[i].rows);
      }
    }
  }
}

TEST_CASE("a validation of many batches has the same bits on 1, 2 and 4 ranks") {
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    const Config config = of_many_batches(task);
    const TemporaryFolder folder;
    int pauses = 0;
    const Scores one = *validate(1, config, folder, [&](int) {
                          ++pauses;
                          return false;
                        }).front();
    CHECK(pauses >= 4);
    for (const int count : {2, 4}) {
      CAPTURE(count);
      const std::vector<RankScores> all =
          validate(count, config, folder, [](int) { return false; });
      for (const RankScores& rank : all) CHECK(rank->values == one.values);
      for (size_t i = 1; i < all.size(); ++i) CHECK(all[i]->samples.empty());
      const Scores& first = *all.front();
      REQUIRE(first.samples.size() == one.samples.size());
      for (size_t i = 0; i < one.samples.size(); ++i) {
        CHECK(first.samples[i].output == one.samples[i].output);
      }
      REQUIRE(first.tables.size() == one.tables.size());
      for (size_t i = 0; i < one.tables.size(); ++i) {
        CHECK(first.tables[i].rows == one.tables[i].rows);
      }
    }
  }
}

TEST_CASE("a rank that is asked to stop ends the validation of all") {
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    // The fourth question between batches, and of one task also the first.
    for (const int late : task.name == "translation" ? std::vector{3, 0} : std::vector{3}) {
      int questions = 0;  // to rank 1
      const auto all = validate(2, of_many_batches(task), folder,
                                [&](int rank) { return rank == 1 && questions++ >= late; });
      for (const RankScores& rank : all) CHECK_FALSE(rank.has_value());
    }
  }
}

TEST_CASE("a rank that fails ends the validation of all with its message") {
  const TemporaryFolder folder;
  const auto fails = [](int rank) {
    if (rank == 1) throw Error("a corpus that has gone");
    return false;
  };
  CHECK(message_of([&] { validate(2, of_many_batches(all_tasks().front()), folder, fails); }) ==
        "a corpus that has gone");
}
