// Training on preferences: the loss, the reference and its cache, and runs.
#include "train/tasks/language_model/preferences.h"

#include <cmath>
#include <filesystem>

#include "core/error.h"
#include "core/threads/parallel.h"
#include "nn/small_language_model.h"
#include "support/thread_ranks.h"
#include "train/run/plan.h"
#include "train/tasks/fixture.h"

namespace calque {
namespace {

namespace fs = std::filesystem;
using Settings = std::vector<std::string>;

// Two pairs over the vocabulary of the small model; the first token of each text is the prompt.
std::vector<Example> two_pairs() {
  return {{{1, 5, 6}, {-1, 6, 2}, {1, 5, 7, 8}, {-1, 7, 8, 2}, {0}},
          {{1, 9}, {9, 2}, {1, 4}, {4, 2}, {1}}};
}

// log p of the expected tokens, from the logits.
double log_p(const LanguageModel& model, const std::vector<int32_t>& ids,
             const std::vector<int32_t>& expected) {
  const Segments segments = Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
  const Tensor logs = log_softmax(model.logits(model.hidden(ids, segments, Mode::evaluate)));
  double sum = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] < 0) continue;
    sum += double(logs.data()[static_cast<int64_t>(i) * logs.cols() + expected[i]]);
  }
  return sum;
}

const PairLogs some_reference = {{real(-5.5), real(-4)}, {real(-3), real(-7.25)}};

// Lines whose chosen answer repeats the colour of the prompt.
std::string pairs() {
  const char* const colours[] = {"red", "blue", "green", "pink"};
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("{{\"prompt\": \"Say {} \", \"chosen\": \"{}\", \"rejected\": \"{}\"}}\n",
                        colours[i % 4], colours[i % 4], colours[(i + 1 + i / 4 % 3) % 4]);
  }
  return text;
}

const TaskCase& small_model() {
  static const TaskCase task = task_of(
      "task: language-model\n"
      "data: {context: 60}\n"
      "tokenizer: {kind: bytes}\n"
      "model: {d_model: 32, d_ff: 64, heads: 2, layers: 2, dropout: 0}\n");
  return task;
}

struct PreferenceRuns {
  TemporaryFolder folder;
  std::string file = folder.write("pairs.jsonl", pairs());

  PreferenceRuns() {
    folder.write("text.txt", "Say red blue\nSay green pink\nSay blue red\n");
    train_run("base", {"data.train={text: " + folder.path("text.txt") + "}", "training.until=10u"});
  }

  TrainResult train_run(const char* name, const Settings& settings) const {
    return run_task(small_model(), folder, settings, name);
  }
  Settings on_pairs(const Settings& more) const {
    Settings settings = {"data.train={preferences: " + file + "}",
                         "data.validation={preferences: " + file + "}",
                         "model.init_from=" + folder.path("base"), "training.batch_tokens=512"};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
  }
  std::string reference_file(const std::string& run) const {
    for (const auto& entry : fs::directory_iterator(folder.path(run + "/cache"))) {
      if (entry.path().filename().string().starts_with("reference-")) return entry.path().string();
    }
    return "";
  }
};

const Settings lora = {"model.adapter={kind: lora, rank: 4, alpha: 16, dropout: 0.1}"};

}  // namespace

TEST_CASE("the loss of preferences is that of the formula") {
  const SmallLanguageModel small(small_language_model_options());
  const auto batch = two_pairs();
  double loss = 0, margins = 0;
  int64_t right = 0;
  for (size_t i = 0; i < 2; ++i) {
    const double chosen =
        log_p(small.model, batch[i][0], batch[i][1]) - double(some_reference[i][0]);
    const double rejected =
        log_p(small.model, batch[i][2], batch[i][3]) - double(some_reference[i][1]);
    const double margin = 0.3 * (chosen - rejected);
    loss -= std::log(1 / (1 + std::exp(-margin)));
    margins += margin;
    right += margin > 0 ? 1 : 0;
  }
  const PreferenceLoss found =
      preference_loss(small.model, batch, some_reference, {.beta = 0.3}, Mode::evaluate);
  CHECK(found.loss.loss.item() == doctest::Approx(loss).epsilon(1e-5));
  CHECK(found.margin == doctest::Approx(margins).epsilon(1e-5));
  CHECK(found.loss.correct == right);
  CHECK(found.loss.terms == 2);
}

TEST_CASE("without a margin the loss is log 2 and no answer counts as right") {
  const SmallLanguageModel small(small_language_model_options());
  const auto batch = two_pairs();
  const Tensor logs = answer_logs(small.model, batch, Mode::evaluate);
  const PairLogs own = {{logs.data()[0], logs.data()[1]}, {logs.data()[2], logs.data()[3]}};
  const PreferenceLoss found = preference_loss(small.model, batch, own, {}, Mode::evaluate);
  CHECK(found.loss.loss.item() == doctest::Approx(2 * std::log(2.0)));
  CHECK(found.loss.correct == 0);
  CHECK(found.margin == 0);
}

TEST_CASE("label smoothing counts a share of the pairs the other way round") {
  const SmallLanguageModel small(small_language_model_options());
  const auto batch = two_pairs();
  const auto swapped = [](std::vector<Example> pairs) {
    for (Example& pair : pairs) {
      std::swap(pair[0], pair[2]);
      std::swap(pair[1], pair[3]);
    }
    return pairs;
  };
  PairLogs other = some_reference;
  for (auto& [chosen, rejected] : other) std::swap(chosen, rejected);
  const auto loss = [&](const std::vector<Example>& pairs, const PairLogs& reference,
                        double smooth) {
    return double(preference_loss(small.model, pairs, reference, {0.1, smooth}, Mode::evaluate)
                      .loss.loss.item());
  };
  CHECK(loss(batch, some_reference, 0.2) ==
        doctest::Approx(0.9 * loss(batch, some_reference, 0) + 0.1 * loss(swapped(batch), other, 0))
            .epsilon(1e-5));
}

TEST_CASE("the gradient of the loss of preferences agrees with finite differences") {
  const SmallLanguageModel small(small_language_model_options());
  const auto batch = two_pairs();
  const auto loss = [&] {
    return preference_loss(small.model, batch, some_reference, {.beta = 0.5}, Mode::train)
        .loss.loss;
  };
  {
    const Tape tape;
    backward(loss());
  }
  const double step = sizeof(real) == 4 ? 1e-2 : 1e-5;
  for (const Parameters::Entry& entry : small.parameters.entries()) {
    CAPTURE(entry.name);
    // Along the gradient the loss rises by its squared norm.
    const auto gradient = entry.tensor.gradient().span();
    double norm = 0;
    for (const real g : gradient) norm += double(g) * double(g);
    norm = std::sqrt(norm);
    if (norm < 1e-4) continue;
    const auto moved = [&](double by) {
      for (size_t i = 0; i < gradient.size(); ++i) {
        entry.values()[i] += static_cast<real>(by * double(gradient[i]) / norm);
      }
    };
    moved(step);
    const double above = double(loss().item());
    moved(-2 * step);
    const double below = double(loss().item());
    moved(step);
    CHECK((above - below) / (2 * step) == doctest::Approx(norm).epsilon(0.01));
  }
}

TEST_CASE("training on preferences makes the margins grow, with an adapter and in full") {
  const PreferenceRuns runs;
  for (const Settings& settings : {Settings{}, lora}) {
    runs.train_run("tuned", runs.on_pairs(settings));
    const auto records = metrics_of(runs.folder, "tuned", "valid");
    REQUIRE(records.size() == 3);
    const double first = records.front()["margin"], last = records.back()["margin"];
    CHECK(first > 0);
    CHECK(last > 2 * first);
    CHECK(records.back()["loss"].get<double>() < 0.9 * std::log(2.0));
    CHECK(records.back()["accuracy"].get<double>() > 0.7);
    CHECK_FALSE(records.back().contains("bits_per_byte"));
    fs::remove_all(runs.folder.path("tuned"));
  }
}

TEST_CASE("a run on preferences resumes in the same bits, with and without its cache") {
  const PreferenceRuns runs;
  for (const Settings& settings : {Settings{"model.dropout=0.1"}, lora}) {
    const auto train_until = [&](const char* name, const char* until) {
      Settings all = runs.on_pairs(settings);
      all.push_back(fmt::format("training.until={}", until));
      runs.train_run(name, all);
    };
    train_until("whole", "20u");
    train_until("parts", "7u");
    const std::string cache = runs.reference_file("parts");
    REQUIRE_FALSE(cache.empty());
    const std::string bytes =
        runs.folder.read("parts/cache/" + fs::path(cache).filename().string());
    CHECK(bytes.size() == 40 * 2 * sizeof(real) + 8);
    fs::remove(cache);
    train_until("parts", "13u");
    CHECK(runs.reference_file("parts") == cache);
    CHECK(runs.folder.read("parts/cache/" + fs::path(cache).filename().string()) == bytes);
    train_until("parts", "20u");
    CHECK(tensors(runs.folder, "whole 000020") == tensors(runs.folder, "parts 000020"));
    for (const char* name : {"whole", "parts"}) fs::remove_all(runs.folder.path(name));
  }
}

TEST_CASE("one rank and two train on preferences with the same bits") {
  const PreferenceRuns runs;
  const Settings settings = runs.on_pairs({"training.parts=2", "training.until=10u"});
  runs.train_run("one", settings);
  const int before = threads();
  run_thread_ranks(2, [&](Communicator& ranks) {
    set_threads(1);
    train(config_of_task(small_model(), settings), {runs.folder.path("two")}, Loudness::quiet,
          make_task, ranks);
  });
  set_threads(before);
  CHECK(tensors(runs.folder, "one 000010") == tensors(runs.folder, "two 000010"));
  CHECK(metrics_of(runs.folder, "one", "valid").back()["margin"] ==
        metrics_of(runs.folder, "two", "valid").back()["margin"]);
}

TEST_CASE("the reference is computed once, and a damaged cache is not read") {
  const PreferenceRuns runs;
  const auto lines_with = [&](const std::string& part) {
    const std::string log = runs.folder.read("tuned/train.log");
    int64_t count = 0;
    for (size_t at = log.find(part); at != log.npos; at = log.find(part, at + 1)) ++count;
    return count;
  };
  const auto train_until = [&](const char* until) {
    runs.train_run("tuned", runs.on_pairs({fmt::format("training.until={}", until)}));
  };
  train_until("3u");
  CHECK(lines_with("the reference of 80 answers was computed in") == 1);
  CHECK(lines_with("the reference is from the cache") == 0);
  train_until("5u");
  CHECK(lines_with("the reference of 80 answers was computed in") == 1);
  CHECK(lines_with("the reference is from the cache") == 1);
  const std::string cache = runs.reference_file("tuned");
  std::string bytes = runs.folder.read("tuned/cache/" + fs::path(cache).filename().string());
  bytes[5] ^= 1;
  runs.folder.write("tuned/cache/" + fs::path(cache).filename().string(), bytes);
  train_until("7u");
  CHECK(lines_with("the reference of 80 answers was computed in") == 2);
}

TEST_CASE("a run on preferences does not resume with another reference") {
  const PreferenceRuns runs;
  runs.train_run("tuned", runs.on_pairs({"training.until=3u"}));
  runs.train_run("base",
                 {"data.train={text: " + runs.folder.path("text.txt") + "}", "training.until=20u"});
  CHECK(
      message_of([&] {
        runs.train_run("tuned", runs.on_pairs({"training.until=5u"}));
      }).find("the weights of model.init_from, the reference of the preferences, are not those") !=
      std::string::npos);
}

TEST_CASE("a dry run on preferences writes nothing") {
  const PreferenceRuns runs;
  const std::string plan = training_plan(config_of_task(small_model(), runs.on_pairs({})),
                                         {runs.folder.path("planned")}, make_task);
  CHECK(plan.find("data: 40 preferences") != std::string::npos);
  CHECK_FALSE(fs::exists(runs.folder.path("planned")));
}

TEST_CASE("settings that contradict preferences are refused") {
  const auto problem = [](const Settings& settings) {
    return message_of([&] {
      parse_config(
          "task: language-model\ntokenizer: {kind: bytes}\ndata: {train: {preferences: a}}\n"
          "model: {init_from: base}\n",
          "p.yaml", settings, task_contradictions);
    });
  };
  const auto refused = [&](const Settings& settings, const std::string& part) {
    CAPTURE(part);
    const std::string found = problem(settings);
    CAPTURE(found);
    CHECK(found.find(part) != std::string::npos);
  };
  CHECK(problem({}) == "");
  refused({"model.init_from=\"\""}, "preferences train a model further");
  refused({"tokenizer.kind=characters"}, "preferences need the tokenizer of model.init_from");
  refused({"data.validation={text: b}"}, "must have preferences if data.train has them");
  refused({"data.train=[{preferences: a}, {text: b}]"}, "has preferences beside other texts");
  refused({"training.r_drop=5", "model.dropout=0.1"}, "cannot be combined with preferences");
  refused({"training.batch_tokens=256", "data.context=200"}, "is less than two conversations");
  refused({"training.metric=perplexity"}, "perplexity is measured on texts alone");
  refused({"data.train={text: a}", "training.metric=margin"},
          "margin is measured on preferences alone");
  refused({"data.train={text: a}", "training.dpo_beta=0.2"},
          "needs data.train: {preferences: FILE}");
}

}  // namespace calque
