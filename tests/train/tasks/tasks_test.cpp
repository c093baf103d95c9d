// The guarantees of the trainer, for every task.
#include <cmath>
#include <filesystem>

#include "train/run/plan.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/fixture.h"
#include "train/tasks/run_weights.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

bool has_metric(const TaskCase& task, const std::string& name) {
  return find_metric(metrics_of(config_of_task(task).task), name) != nullptr;
}

TEST_CASE(
    "steps that are not finite are skipped, reported with their examples, and finally end a run") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    const std::string message = message_of([&] {
      run_task(
          task, folder,
          {"training.learning_rate=1e37", "training.until=2000u", "training.optimizer=sgd",
           "training.clip_norm=0", "training.divergence_steps=20", "training.max_bad_steps=3"});
    });
    CHECK_MESSAGE(mentions(message, "training.learning_rate"), message);
    const std::string log = folder.read("run/train.log");
    CHECK(mentions(log, "skipped: "));
    CHECK_MESSAGE(mentions(log.substr(log.find("skipped: ")), task.place), log);
    CHECK(log.ends_with("  ended by an error: " + message + "\n"));
    for (const double weight : weights(folder, "run")) REQUIRE(std::isfinite(weight));
  }
}

TEST_CASE(
    "the log and metrics.jsonl have every metric that the task declares, and no other task's") {
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    run_task(task, folder, joined(task.measure_all, {"logging.report=true"}));
    const auto records = metrics_of(folder, "run", "valid");
    REQUIRE(records.size() == 3);
    const std::string log = folder.read("run/train.log");
    const std::string line = log.substr(log.find("\nvalid") + 1);
    const std::string valid = line.substr(0, line.find('\n'));
    const std::string page = folder.read("run/report.html");
    size_t at = 0;
    for (const MetricInfo& metric : metrics_of(config_of_task(task).task)) {
      CAPTURE(metric.name);
      if (metric.name == "margin") continue;  // of preferences (preferences_test.cpp)
      REQUIRE(records[0].contains(metric.column));
      CHECK(std::isfinite(records[0][metric.column].get<double>()));
      if (!metric.label.empty()) {
        const size_t place = valid.find("  " + metric.label + " ", at);
        CHECK_MESSAGE(place != std::string::npos, valid);
        at = place;
      }
      if (metric.name == "nll") continue;  // drawn as perplexity
      CHECK(mentions(page, "\"" + metric.title + "\""));
    }
    for (const TaskCase& other : all_tasks()) {
      if (other.metric_column.empty() || has_metric(task, other.metric_column)) continue;
      CHECK_FALSE(records[0].contains(other.metric_column));
    }
    const nlohmann::json step = metrics_of(folder, "run", "train").at(0);
    for (const char* key : {"loss", "nll", "ppl", "accuracy", "lr", "grad_norm", "tokens"}) {
      CHECK_MESSAGE(step.contains(key), key);
    }
    CHECK(step["timing"]["gflop_per_s"] > 0);
    CHECK_FALSE(step["timing"].contains("sgemm_share"));
    CHECK(mentions(log, " GFLOP/s"));
    CHECK_FALSE(mentions(log, "sgemm"));
  }
}

TEST_CASE("metrics.jsonl has as many samples of each validation as logging.samples") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    run_task(task, folder, joined(task.measure_all, {"logging.samples=2"}));
    const auto records = metrics_of(folder, "run", "valid");
    CHECK(records[0]["samples"].size() == 2);
    CHECK(records[0]["samples"][0]["source"] == records[2]["samples"][0]["source"]);
    run_task(task, folder, joined(task.measure_all, {"logging.samples=0"}), "none");
    CHECK_FALSE(metrics_of(folder, "none", "valid")[0].contains("samples"));
  }
}

TEST_CASE("the best checkpoint is the best by a metric of the task other than the loss") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const std::string name = task.metric_column.empty() ? "accuracy" : task.metric_column;
    const TemporaryFolder folder;
    run_task(task, folder, joined(task.measure_all, {"training.metric=" + name}));
    const TrainingState state = load_state(real_files(), folder.path("run/last"));
    REQUIRE(state.best.contains(name));
    const MetricInfo& metric = *find_metric(metrics_of(config_of_task(task).task), name);
    const Score best = state.best.at(name).front();
    for (const auto& record : metrics_of(folder, "run", "valid")) {
      CHECK_FALSE(is_better(record[metric.column], best.value, metric.better));
    }
    CHECK(std::filesystem::read_symlink(folder.path("run/best")) ==
          fmt::format("checkpoints/step-{:06}", best.step));
  }
}

TEST_CASE("every validation records the load of the experts") {
  const TemporaryFolder folder;
  run_task(all_models().back(), folder);
  const nlohmann::json table = metrics_of(folder, "run", "valid").at(0)["tables"].at(0);
  CHECK(table["title"] == "Load of the experts, in % of the tokens");
  CHECK(table["columns"] == nlohmann::json({"layer", "1", "2", "3", "4"}));
  REQUIRE(table["rows"].size() == 1);
  CHECK(table["rows"][0][0] == "layers.0.feed_forward");
  double sum = 0;
  for (size_t e = 1; e <= 4; ++e) sum += std::stod(table["rows"][0][e].get<std::string>());
  CHECK(sum == doctest::Approx(100).epsilon(0.01));
}

TEST_CASE("a metric that the task does not have is refused with the list of those that it has") {
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    const std::string path = folder.write("c.yaml", task.config);
    std::string names;
    for (const MetricInfo& metric : metrics_of(config_of_task(task).task)) {
      names += (names.empty() ? "" : ", ") + metric.name;
    }
    Settings wrong = {"no_such_metric"};
    for (const TaskCase& other : all_tasks()) {
      const bool own = has_metric(task, other.metric_column);
      if (!own && !other.metric_column.empty()) wrong.push_back(other.metric_column);
    }
    for (const std::string& metric : wrong) {
      const std::string message =
          message_of([&] { load_task_config(path, {"training.metric=" + metric}); });
      CHECK_MESSAGE(
          mentions(message, "training.metric: the metric must be " + names + ", not " + metric),
          message);
    }
  }
}

TEST_CASE(
    "a run ends at the first validation that reaches its goal, and continues to a harder goal") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    const Settings easy = {"training.until=[100u, loss<=99]"};
    const TrainResult result = run_task(task, folder, easy);
    CHECK(result.ending == Ending::finished);
    CHECK(result.step == 10);
    CHECK(mentions(folder.read("run/train.log"), "loss<=99 is reached"));
    CHECK(load_state(real_files(), folder.path("run/last")).goal_reached == "loss<=99");
    CHECK(run_task(task, folder, easy).ending == Ending::already_finished);
    CHECK(run_task(task, folder, {"training.until=[20u, loss<=0.001]"}).step == 20);
    CHECK(load_state(real_files(), folder.path("run/last")).best.at("loss").size() == 1);
  }
}

TEST_CASE("a goal needs a metric of the task and validations that measure it") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const auto refusal = [&](const Settings& settings) {
      return message_of([&] { config_of_task(task, settings); });
    };
    CHECK(
        mentions(refusal({"training.until=fun>=3"}), "training.until: the metric must be loss, "));
    CHECK(mentions(refusal({"training.until=loss<=3", "data.validation=[]"}),
                   "loss<=3 is measured by validations; set data.validation"));
    CHECK(mentions(refusal({"training.until=loss<=3", "training.validate_every=never"}),
                   "loss<=3 is measured by validations"));
  }
  CHECK(mentions(message_of([] { config_of_task(all_models()[0], {"training.until=bleu>=3"}); }),
                 "training.until: it is measured on translations; set "
                 "training.validate_translate: greedy"));
}

TEST_CASE("a run is resumed and used only with its own tokenizer") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    if (!task.has_tokenizer) continue;
    const TemporaryFolder folder;
    run_task(task, folder);
    std::string vocabulary = folder.read("run/tokenizer.vocab");
    const size_t end = vocabulary.size();
    std::swap(vocabulary[end - 2], vocabulary[end - 4]);
    folder.write("run/tokenizer.vocab", vocabulary);
    const std::string message = message_of([&] { run_task(task, folder, {"training.until=40u"}); });
    CHECK_MESSAGE(mentions(message, "tokenizer is not the one"), message);
    CHECK(mentions(message_of([&] { open_run(folder.path("run"), make_task); }),
                   "tokenizer is not the one"));
  }
}

TEST_CASE("a run is resumed only with its own training data") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    const Settings settings = on_a_file(task, folder.write("data", task.corpus_text));
    run_task(task, folder, settings);
    const Settings longer = joined(settings, {"training.until=5u"});
    folder.write("data", task.other_text);
    const std::string message = message_of([&] { run_task(task, folder, longer); });
    CHECK_MESSAGE(mentions(message, "training data is not what the checkpoint was trained on"),
                  message);
    folder.write("data", task.corpus_text);
    CHECK(run_task(task, folder, longer).step == 5);
  }
}

TEST_CASE("a run with other validation data starts new best scores") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    run_task(task, folder);
    const std::string corpus = task.name.starts_with("translation")
                                   ? "{toy: reverse, pairs: 20, longest: 9}"
                               : task.corpus_key == "labelled" || task.corpus_key == "tagged"
                                   ? "{toy: toy-en-de, pairs: 9}"
                               : task.name == "images" ? "{toy: shapes, pairs: 9}"
                                                       : "{toy: toy-text, pairs: 9}";
    run_task(task, folder, {"data.validation=" + corpus, "training.until=40u"});
    const TrainingState state = load_state(real_files(), folder.path("run/last"));
    REQUIRE(state.retired.size() == 1);
    CHECK(state.retired[0].metric == "loss");
    CHECK(state.retired[0].until == 30);
    CHECK(state.best.at("loss").front().step == 40);
  }
}

TEST_CASE("a plan has every task's parts, cost, memory and time, and writes nothing") {
  for (const TaskCase& task : all_models()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    const std::string plan =
        training_plan(config_of_task(task, {"training.until=2e"}), {folder.path("run")}, make_task);
    for (const char* part :
         {task.name == "images" ? "patches" : "embedding", "data: ", "an update: about ",
          "memory: about ", "an epoch: about ", "time: about "}) {
      CHECK_MESSAGE(mentions(plan, part), plan);
    }
    CHECK(folder.files() == 0);
  }
}

TEST_CASE("a run is opened only by its own task, and without its data") {
  const TemporaryFolder folder;
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    const Settings settings = on_a_file(task, folder.write("data", task.corpus_text));
    run_task(task, folder, settings, task.name.c_str());
    std::filesystem::remove(folder.path("data"));
    const TrainedRun run = open_run(folder.path(task.name), make_task);
    CHECK(run.weights.step == 3);
    CHECK(run.weights.checkpoint == folder.path(task.name + "/checkpoints/step-000003"));
    for (const TaskKind kind : {TaskKind::translation, TaskKind::language_model,
                                TaskKind::masked_lm, TaskKind::classification, TaskKind::images}) {
      const std::string message = message_of([&] { find_run(folder.path(task.name), kind); });
      if (kind == run.location.config.task) {
        CHECK(message.empty());
      } else {
        CHECK(message.starts_with(folder.path(task.name) + ": is a run of task: " + task.name +
                                  "; a run of task: "));
      }
    }
  }
}

}  // namespace
}  // namespace calque
