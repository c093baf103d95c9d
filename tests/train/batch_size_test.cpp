// The batch size of a run that does not set it: it follows from the length of the run, and the run
// keeps it.
#include "train/run/batch_size.h"

#include "train/config/load.h"
#include "train/config/short_run.h"
#include "train/run/plan.h"
#include "train/trainer_fixture.h"

using namespace calque;

namespace {

const std::vector<std::string> by_length = {"training.batch_tokens=0", "training.until=2000t"};

Config stored(const TemporaryFolder& folder, const char* name = "run") {
  return load_config(folder.path(std::string(name) + "/config.yaml")).config;
}

std::vector<std::string> with(std::vector<std::string> settings, const std::string& more) {
  settings.push_back(more);
  return settings;
}

}  // namespace

TEST_CASE("an update has a share of the run's tokens, within limits") {
  CHECK(tokens_of_update(3e6, 1) == 1000);
  CHECK(tokens_of_update(1e4, 1) == 256);
  CHECK(tokens_of_update(1e9, 1) == 8192);
  CHECK(tokens_of_update(1e4, 50) == 16 * 50);  // at least 16 examples of 50 tokens
  CHECK(tokens_of_update(1e9, 100) == 128 * 100);
}

TEST_CASE("a run stores the batch size that it chooses, and resumes with it in the same bits") {
  const TemporaryFolder folder;
  run(folder, by_length, "whole");
  CHECK(stored(folder, "whole").training.batch_tokens == 256);

  const auto half_way = [](const TrainRecord& record) { return record.step < 4; };
  RunObserver observer(Loudness::quiet);
  observer.step = half_way;
  train(config(by_length), {folder.path("run")}, observer, make_task);
  const TrainResult resumed = run(folder, by_length);
  CHECK(resumed.ending == Ending::finished);
  const std::string last = fmt::format(" {:06}", resumed.step);
  CHECK(tensors(folder, "run" + last) == tensors(folder, "whole" + last));
}

TEST_CASE("a batch size in the config must be that of the run, but may be left out") {
  const TemporaryFolder folder;
  run(folder, {"training.batch_tokens=300", "training.until=3u"});
  CHECK_NOTHROW(run(folder, {"training.batch_tokens=0", "training.until=4u"}));
  CHECK(stored(folder).training.batch_tokens == 300);
  CHECK(message_of([&] {
          run(folder, {"training.batch_tokens=301", "training.until=5u"});
        }).find("training.batch_tokens: 300 -> 301") != std::string::npos);
}

TEST_CASE("a length in updates says nothing of tokens: batches have the usual size") {
  const TemporaryFolder folder;
  run(folder, {"training.batch_tokens=0", "training.until=2u"});
  CHECK(stored(folder).training.batch_tokens == TrainingConfig::usual_batch_tokens);
}

TEST_CASE("accumulated batches share the tokens of an update") {
  const TemporaryFolder folder;
  run(folder, with(by_length, "training.accumulation=4"));
  CHECK(stored(folder).training.batch_tokens == 64);
}

TEST_CASE("a batch has room for the longest pair") {
  const TemporaryFolder folder;
  std::string sentence;
  for (int i = 0; i < 400; ++i) sentence += "a ";
  folder.write("long.src", sentence + "\nb\n");
  folder.write("long.tgt", "a\n" + sentence + "\n");
  const std::string train = fmt::format("data.train={{source: {}, target: {}}}",
                                        folder.path("long.src"), folder.path("long.tgt"));
  const std::vector<std::string> settings = with(by_length, train);
  run(folder, with(settings, "data.max_length=0"));
  CHECK(stored(folder).training.batch_tokens > 400);
}

TEST_CASE("the plan of a run names the batch size and the length that it follows from") {
  const TemporaryFolder folder;
  const auto plan = [&](const std::string& until) {
    return training_plan(config({"training.batch_tokens=0", "training.until=" + until}),
                         {folder.path("none")}, make_task);
  };
  CHECK(plan("6Mt").find("training.batch_tokens: 2016, for a run of about 6 million tokens") !=
        std::string::npos);
  const std::string by_epochs = plan("3e");
  CHECK_MESSAGE(by_epochs.find("training.batch_tokens: 256, for") != std::string::npos, by_epochs);
  CHECK(plan("100u").find("training.batch_tokens: ") == std::string::npos);
}

TEST_CASE("each direction of a multilingual run has the updates of a run of its own") {
  const TemporaryFolder folder;
  const Config several =
      config({"training.batch_tokens=0", "training.until=6Mt", "data.multilingual=true",
              "data.train=[{toy: reverse, pairs: 200, languages: [a, b], directions: both}]",
              "data.validation=[]", "data.test=[]"});
  CHECK(training_plan(several, {folder.path("none")}, make_task)
            .find("training.batch_tokens: 1024, for a run of about 6 million tokens") !=
        std::string::npos);
}

TEST_CASE("a translator's run of few updates is warned of, with what to expect") {
  const auto warning = [](const std::vector<std::string>& settings, double updates) {
    return few_updates_warning(config(settings), updates);
  };
  CHECK(warning({}, 359).starts_with("warning: a run of about 359 updates is short"));
  CHECK(warning({"training.batch_tokens=4096"}, 359).ends_with("or lower training.batch_tokens"));
  CHECK(warning({}, 700).empty());
  CHECK_FALSE(warning({"training.optimizer=adam"}, 700).empty());
  CHECK(warning({"training.optimizer=adam"}, 1000).empty());
  CHECK(warning({"model.init_from=a"}, 359).empty());
  CHECK(warning({}, 0).empty());  // an unknown length
  const TemporaryFolder folder;
  run(folder, by_length);
  CHECK(folder.read("run/train.log").find("warning: a run of about") != std::string::npos);
}
