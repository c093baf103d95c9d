// The guarantees of the trainer, for every task.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/memory/pool.h"
#include "support/threads.h"
#include "support/worse.h"
#include "train/run/plan.h"
#include "train/step/learner.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/fixture.h"
#include "train/weights/averaging.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

bool has_metric(const TaskCase& task, const std::string& name) {
  return find_metric(metrics_of(config_of_task(task).task), name) != nullptr;
}

using Settings = std::vector<std::string>;

Settings joined(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<double> weights(const TemporaryFolder& folder, const std::string& place) {
  const TrainedRun run = open_run(folder.path(place), make_task);
  const std::span<const real> values = run.task->parameters().values();
  return {values.begin(), values.end()};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = worse(largest, std::abs(a[i] - b[i]));
  return largest;
}

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
