// Word-level distillation of a language model: the loss of a teacher, corpora that it does not
// teach, and runs that have one.
#include <filesystem>

#include "core/error.h"
#include "train/tasks/fixture.h"
#include "train/tasks/language_model/distillation.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/language_model/generation.h"
#include "train/weights/initial_weights.h"

namespace calque {
namespace {

const TaskCase& small_model() {
  static const TaskCase task = task_of(
      "task: language-model\n"
      "data: {context: 40, documents: lines, cross_documents: false}\n"
      "tokenizer: {kind: bytes}\n"
      "model: {d_model: 32, d_ff: 64, heads: 2, layers: 2, dropout: 0}\n");
  return task;
}

std::string repeated(const char* text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// A teacher trained on a text, and a text that it does not know.
struct Runs {
  TemporaryFolder folder;
  std::string known = folder.write("known.txt", repeated("red blue green\npink grey\n", 20));
  std::string other = folder.write("other.txt", repeated("one two three\nfour five\n", 20));

  Runs() {
    train_run("teacher", {"data.train={text: " + known + "}", "training.until=60u"});
    train_run("student", {"data.train={text: " + known + "}", "training.seed=2"});
  }
  std::string path(const std::string& name) const { return folder.path(name); }

  TrainResult train_run(const char* name, const Settings& settings) const {
    return run_task(small_model(), folder, settings, name);
  }

  // Of a run that starts as the teacher, which teaches it the known text, and learns the other one.
  Settings keeping(const Settings& more = {}) const {
    return joined({"data.train=[{text: " + other + ", teacher: false}, {text: " + known + "}]",
                   "model.init_from=" + path("teacher"), "training.teacher=" + path("teacher"),
                   "training.teacher_share=1"},
                  more);
  }
};

const Runs& runs() {
  static const Runs all;
  return all;
}

// The teacher of a config, beside a model that has the weights of its model.init_from.
struct Taught {
  const Tokenizer tokenizer = open_language_model_run(runs().path("teacher")).tokenizer;
  TaskModel<LanguageModel> learner;
  TextTeacher teacher;

  explicit Taught(const Config& config)
      : learner(language_model_options(config, tokenizer.size())),
        teacher(config, tokenizer, learner) {
    const std::string& from = config.model.init_from;
    if (from.empty()) return;
    load_initial_weights(from, hash_of({tokenizer}), learner.base, learner.parameters);
  }
};

Config config_with_share(const std::string& share) {
  return config_of_task(small_model(), {"data.train={text: " + runs().known + "}",
                                        "training.teacher=" + runs().path("teacher"),
                                        "training.teacher_share=" + share});
}

// Two texts of the vocabulary, and whether the teacher teaches them.
std::vector<Example> examples(int32_t first, int32_t second) {
  return {{{1, 40, 41}, {40, 41, 2}, {first}}, {{1, 50, 51, 52}, {no_token, 51, 52, 2}, {second}}};
}

// <s>, the text and </s>.
std::vector<int32_t> ids_of(const LanguageModelRun& run, const std::string& text) {
  std::vector<int32_t> ids = prompt_ids(run.tokenizer, text);
  ids.push_back(end_id);
  return ids;
}

double value(const SummedLoss& loss) { return double(loss.loss.item()); }

}  // namespace

TEST_CASE("a language model learns from a teacher by share, and of some examples not at all") {
  const LanguageModelRun teacher = open_language_model_run(runs().path("teacher"));
  const LanguageModelRun student = open_language_model_run(runs().path("student"));
  const auto loss = [](const LanguageModelRun& run, const std::string& share, int32_t first,
                       int32_t second) {
    return Taught(config_with_share(share)).teacher.loss(run.model(), examples(first, second), 0.1);
  };
  for (const LanguageModelRun* run : {&teacher, &student}) {
    const SummedLoss plain = window_loss(run->model(), examples(0, 0), 0.1, Mode::evaluate);
    CHECK(value(loss(*run, "0.3", 0, 0)) == doctest::Approx(value(plain)));
    const double divergence = value(loss(*run, "1", 1, 1));
    const SummedLoss both = loss(*run, "0.3", 1, 1);
    CHECK(value(both) == doctest::Approx(0.7 * value(plain) + 0.3 * divergence));
    CHECK(both.terms == 6);
    CHECK(both.nll == doctest::Approx(plain.nll));
    CHECK(both.correct == plain.correct);
    const SummedLoss mixed = loss(*run, "0.3", 1, 0);
    CHECK(value(mixed) + value(loss(*run, "0.3", 0, 1)) ==
          doctest::Approx(value(plain) + value(both)));
    CHECK(mixed.terms == 6);
    if (run == &teacher) {
      CHECK(divergence == doctest::Approx(0).epsilon(1e-4));
    } else {
      CHECK(divergence > 0.5);
    }
  }
}

TEST_CASE("the teacher teaches the examples of the corpora that do not refuse it") {
  const Taught taught(config_of_task(small_model(), runs().keeping()));
  ExampleSet set;
  set.costs = {1, 1, 1, 1, 1};
  set.parts = {{.first = 0, .count = 2}, {.first = 2, .count = 3}};
  set.read = [](int64_t, int64_t example, Example& out) {
    out = {{static_cast<int32_t>(example)}, {0}};
  };
  const ExampleSet marked = taught.teacher.marked(set);
  for (int64_t i = 0; i < 5; ++i) {
    Example example;
    marked.read(0, i, example);
    CHECK(example == Example{{static_cast<int32_t>(i)}, {0}, {i < 2 ? 0 : 1}});
  }
}

TEST_CASE("a teacher that is the base of an adapter is in the same memory") {
  const auto settings = [](const std::string& teacher) {
    return runs().keeping(
        {"model.adapter={kind: lora, rank: 4, dropout: 0}", "training.teacher=" + teacher});
  };
  const TemporaryFolder folder;
  std::filesystem::copy(
      runs().path("teacher"), folder.path("copy"),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  const auto configured = [&](const std::string& teacher) {
    return config_of_task(small_model(), settings(teacher));
  };
  Taught shared(configured(runs().path("teacher"))), apart(configured(folder.path("copy")));
  const auto loss = [](const Taught& taught) {
    return value(taught.teacher.loss(taught.learner.model, examples(1, 1), 0.1));
  };
  CHECK(loss(shared) == loss(apart));
  for (Taught* taught : {&shared, &apart}) {
    const std::span<real> output = taught->learner.base.find("embedding.weight")->values();
    for (real& weight : output) weight *= 2;
  }
  CHECK(loss(shared) == doctest::Approx(0).epsilon(1e-4));  // teacher and learner have changed
  CHECK(loss(apart) > 0.01);
}

TEST_CASE("what a teacher teaches is kept while another text is learned") {
  const Settings more = {"training.until=40u", "training.keep_last=9"};
  runs().train_run("kept", runs().keeping(more));
  runs().train_run("alone", {"data.train={text: " + runs().other + "}",
                             "model.init_from=" + runs().path("teacher"), "training.until=40u"});
  const auto nll = [](const char* name, const std::string& text) {
    const LanguageModelRun run = open_language_model_run(runs().path(name) + "/last");
    const std::vector<int32_t> ids = ids_of(run, text);
    const std::vector<Example> one = {{{ids.begin(), ids.end() - 1}, {ids.begin() + 1, ids.end()}}};
    return window_loss(run.model(), one, 0, Mode::evaluate).nll;
  };
  const auto forgotten = [&](const char* name) {
    return nll(name, "red blue green") - nll("teacher", "red blue green");
  };
  CHECK(forgotten("alone") > 5);
  CHECK(forgotten("kept") < forgotten("alone") / 4);
  CHECK(nll("kept", "one two three") < nll("teacher", "one two three") / 2);
}

TEST_CASE("a run with a teacher resumes to the same bits, with an adapter too") {
  const Settings lora = {
      "model.adapter={kind: lora, rank: 4, alpha: 16, dropout: 0.1, base: q8_0}"};
  for (const Settings& model : {Settings{}, lora}) {
    const TemporaryFolder folder;
    const auto steps = [&](const char* name, const char* until) {
      Settings settings = runs().keeping(model);
      settings.insert(settings.end(),
                      {std::string("training.until=") + until, "training.save_every=3u"});
      run_task(small_model(), folder, settings, name);
    };
    steps("whole", "6u");
    steps("stopped", "3u");
    steps("stopped", "6u");
    CHECK(tensors(folder, "whole 000006") == tensors(folder, "stopped 000006"));
  }
}

TEST_CASE("teachers that cannot teach, and corpora without one, are refused") {
  const auto refused = [](const Settings& settings) {
    return message_of([&] { runs().train_run("refused", settings); });
  };
  const std::string corpus = "data.train={text: " + runs().known + "}";
  CHECK(refused({corpus, "training.teacher=nowhere"}).starts_with("training.teacher: nowhere"));
  CHECK(refused({corpus, "training.teacher=" + runs().path("teacher"), "tokenizer.kind=characters",
                 "tokenizer.vocabulary_size=0"})
            .find("another vocabulary") != std::string::npos);
  const auto contradiction = [](const Settings& settings) {
    return message_of([&] { config_of_task(small_model(), settings); });
  };
  const std::string without = "data.train={text: " + runs().known + ", teacher: false}";
  CHECK(contradiction({without}).find("`teacher: false` needs training.teacher") !=
        std::string::npos);
  CHECK(contradiction({without, "training.teacher=x"}).find("no corpus has a teacher") !=
        std::string::npos);
  CHECK(contradiction({corpus, "training.teacher=x", "training.r_drop=1", "model.dropout=0.1"})
            .find("cannot be combined with training.teacher") != std::string::npos);
  CHECK(contradiction({corpus, "data.validation={text: x, teacher: false}"})
            .find("teacher has no effect outside data.train") != std::string::npos);
}

}  // namespace calque
