// Small runs: the files that they write, how they resume, and what ends them.
#include "train/trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/tokenizers/training.h"
#include "support/threads.h"
#include "support/worse.h"
#include "train/storage/run_folder.h"
#include "train/tasks/fixture.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/tokenizers.h"
#include "train/weights/averaging.h"

using namespace calque;

TEST_CASE("a run writes a config, a log, metrics, a tokenizer and checkpoints") {
  const TemporaryFolder folder;
  const TrainResult result = run(folder);
  CHECK(result.ending == Ending::finished);
  CHECK(result.step == 30);
  for (const char* name : {"config.yaml", "train.log", "metrics.jsonl", "tokenizer.vocab",
                           "best/model.safetensors", "last/state.json"}) {
    CHECK_MESSAGE(std::filesystem::exists(folder.path(std::string("run/") + name)), name);
  }
  CHECK(parse_config(folder.read("run/config.yaml"), "config.yaml").config == config());
}

TEST_CASE(
    "a resumed run, on another number of threads, ends in the same bits as an uninterrupted one") {
  const TemporaryFolder folder;
  const std::vector<std::string> averaged = {"training.ema=0.9", "model.dropout=0.3"};
  const auto with = [&](const char* until) {
    std::vector<std::string> settings = averaged;
    settings.push_back(until);
    return settings;
  };
  const Threads as_before;
  set_threads(2);
  run(folder, with("training.until=30u"), "whole");
  set_threads(1);
  run(folder, with("training.until=17u"), "parts");
  set_threads(3);
  const TrainResult result = run(folder, with("training.until=30u"), "parts");
  CHECK(result.step == 30);
  CHECK(tensors(folder, "whole 000030") == tensors(folder, "parts 000030"));
}

namespace {

// Trains without a setting ("plain"), and with it in one start ("whole") and in two ("resumed").
// "whole" and "resumed" must have the same weights, which differ from those of "plain".
void check_resumed_runs(const TemporaryFolder& folder, const std::string& without,
                        const std::string& with) {
  const auto until = [&](const char* limit, const std::string& setting, const char* name) {
    run(folder, {"model.dropout=0.3", setting, limit}, name);
  };
  until("training.until=30u", without, "plain");
  until("training.until=30u", with, "whole");
  until("training.until=13u", with, "resumed");
  until("training.until=30u", with, "resumed");
  CHECK(tensors(folder, "whole 000030") == tensors(folder, "resumed 000030"));
  CHECK(tensors(folder, "whole 000030") != tensors(folder, "plain 000030"));
}

}  // namespace

TEST_CASE(
    "with r_drop, a resumed run ends in the same bits, which differ from those without r_drop") {
  const TemporaryFolder folder;
  check_resumed_runs(folder, "training.r_drop=0", "training.r_drop=5");
}

#ifndef CALQUE_DOUBLE
TEST_CASE("in bfloat16, a resumed run ends in the same bits, and may continue in float32") {
  const TemporaryFolder folder;
  check_resumed_runs(folder, "training.precision=float32", "training.precision=bfloat16");
  for (const char* file : {"train.log", "last/state.json"}) {
    CAPTURE(file);
    const auto says_so = [&](const std::string& name) {
      return folder.read(name + "/" + file).find("rounded to bfloat16") != std::string::npos;
    };
    CHECK(says_so("whole"));
    CHECK(!says_so("plain"));
  }
  CHECK(run(folder, {"model.dropout=0.3", "training.precision=float32", "training.until=40u"},
            "resumed")
            .step == 40);
}
#endif

TEST_CASE("a finished run does nothing, and continues with a higher limit") {
  const TemporaryFolder folder;
  run(folder);
  const std::string metrics = folder.read("run/metrics.jsonl");
  CHECK(run(folder).ending == Ending::already_finished);
  CHECK(folder.read("run/metrics.jsonl") == metrics);
  CHECK(run(folder, {"training.until=40u"}).step == 40);
}

TEST_CASE("resuming with another dropout or seed is refused, naming the changed key") {
  const TemporaryFolder folder;
  run(folder);
  const std::string message = message_of([&] { run(folder, {"model.dropout=0.5"}); });
  CHECK(message.find("model.dropout") != std::string::npos);
  CHECK(message.find("--fresh") != std::string::npos);
  CHECK(message_of([&] { run(folder, {"training.seed=2"}); }).find("training.seed") !=
        std::string::npos);
}

TEST_CASE("a config with which a run cannot resume is refused before any of its files changes") {
  const TemporaryFolder folder;
  run(folder);
  const std::string vocabulary = folder.read("run/tokenizer.vocab");
  const int64_t files = folder.files();
  for (const char* other : {"tokenizer.kind=characters", "tokenizer.kind=sentencepiece-bpe",
                            "tokenizer.joint=false", "model.d_model=32", "training.ema=0.9"}) {
    const std::string key = std::string(other).substr(0, std::string(other).find('='));
    const std::string message = message_of([&] {
      run(folder, {other, "tokenizer.vocabulary_size=50", "model.tied=none"});
    });
    CHECK_MESSAGE(message.find(key + ":") != std::string::npos, message);
  }
  CHECK(folder.read("run/tokenizer.vocab") == vocabulary);
  CHECK(folder.files() == files);
  CHECK(run(folder).ending == Ending::already_finished);
}

TEST_CASE("the tokenizer of a failed start is not used by the run") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("run"));
  folder.write("run/tokenizer.vocab", "<unk>\n<s>\n</s>\nother\n");
  folder.write("run/tokenizer.model", "other");
  run(folder);
  run(folder, {}, "clean");
  CHECK(folder.read("run/tokenizer.vocab") == folder.read("clean/tokenizer.vocab"));
  CHECK_FALSE(std::filesystem::exists(folder.path("run/tokenizer.model")));
}

TEST_CASE("a run is used only with the tokenizer that it was trained with") {
  const TemporaryFolder folder;
  run(folder);
  std::string vocabulary = folder.read("run/tokenizer.vocab");
  std::swap(vocabulary[vocabulary.size() - 2], vocabulary[vocabulary.size() - 4]);
  folder.write("run/tokenizer.vocab", vocabulary);
  CHECK(message_of([&] {
          open_translation_run(folder.path("run"));
        }).find("tokenizer is not the one") != std::string::npos);
}

TEST_CASE("with data.invalid_utf8=skip, validation skips lines that are not UTF-8") {
  const TemporaryFolder folder;
  folder.write("v.a", "a b\n\xff\nb a\n");
  folder.write("v.b", "b a\nb\na b\n");
  const std::vector<std::string> settings = {
      "data.validation={source: " + folder.path("v.a") + ", target: " + folder.path("v.b") + "}",
      "training.validate_translate=greedy"};
  CHECK(message_of([&] { run(folder, settings); }).find("v.a:2") != std::string::npos);
  std::vector<std::string> skipping = settings;
  skipping.push_back("data.invalid_utf8=skip");
  CHECK(run(folder, skipping, "skipping").ending == Ending::finished);
}

TEST_CASE(
    "validation files of different lengths are refused before the training text is tokenized") {
  const TemporaryFolder folder;
  folder.write("t.a", "a b\n\xff\nb a\n");  // not UTF-8, which is an error, too
  folder.write("t.b", "b a\nb\na b\n");
  folder.write("v.a", "a b\nb a\n");
  folder.write("v.b", "b a\n");
  const auto corpus = [&](const char* name) {
    return "{source: " + folder.path(name) + ".a, target: " + folder.path(name) + ".b}";
  };
  const std::string training = "data.train=" + corpus("t");
  CHECK(message_of([&] { run(folder, {training}); }).find("t.a:2") != std::string::npos);
  const std::string message = message_of([&] {
    run(folder, {training, "data.validation=" + corpus("v")}, "both");
  });
  CHECK_MESSAGE(message.find("v.a has 2 lines") != std::string::npos, message);
}

TEST_CASE("validation sentences beyond the learned positions are refused before training") {
  const TemporaryFolder folder;
  const std::string message = message_of([&] {
    run(folder, {"model.positions=learned", "model.max_positions=8",
                 "data.validation={toy: reverse, pairs: 20, shortest: 9, longest: 12}",
                 "data.max_length=7"});
  });
  CHECK_MESSAGE(message.find("model.max_positions") != std::string::npos, message);
  CHECK_MESSAGE(message.find("pair 1") != std::string::npos, message);
}

TEST_CASE("an interval of one epoch is due in each epoch, also if a step spans two epochs") {
  const TemporaryFolder folder;
  run(folder, {"training.until=4e", "training.accumulation=3", "training.validate_every=1e",
               "training.save_every=2e", "training.keep_last=9", "training.keep_best=0"});
  std::vector<double> epochs;
  for (const nlohmann::json& record : metrics_of(folder, "run", "valid")) {
    epochs.push_back(record["epoch"]);
  }
  REQUIRE(epochs.size() == 4);
  for (size_t i = 0; i < epochs.size(); ++i) CHECK(int(epochs[i]) == int(i) + 1);
  CHECK(epochs[0] > 1);  // the number of batches of an epoch is no multiple of 3
}

namespace {

// The largest difference between weights of the same name.
double largest_difference(const TranslationRun& a, const TranslationRun& b) {
  double largest = 0;
  for (const Parameters::Entry& entry : a.network->parameters.entries()) {
    const Parameters::Entry* other = b.network->parameters.find(entry.name);
    REQUIRE(other);
    REQUIRE(other->shape == entry.shape);
    for (size_t i = 0; i < entry.values().size(); ++i) {
      largest = worse(largest, std::abs(double(entry.values()[i]) - double(other->values()[i])));
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("with ema, checkpoints have the average of the weights, which does not change training") {
  const TemporaryFolder folder;
  run(folder, {"training.until=1u", "training.learning_rate=1e-30"}, "start");
  run(folder, {"training.until=4u", "training.save_every=1u", "training.keep_last=9"}, "plain");
  run(folder, {"training.until=4u", "training.ema=0.1"}, "averaged");
  const auto weights = [&](const std::string& place) {
    const TranslationRun run = open_translation_run(folder.path(place));
    const std::span<const real> values = run.network->parameters.values();
    return std::vector<double>(values.begin(), values.end());
  };
  std::vector<double> expected = weights("start/last"), steps;
  for (const char* step : {"1", "2", "3", "4"}) {
    steps = weights(std::string("plain/checkpoints/step-00000") + step);
    for (size_t i = 0; i < steps.size(); ++i) expected[i] += 0.9 * (steps[i] - expected[i]);
  }
  const std::vector<double> averaged = weights("averaged/last");
  double error = 0, from_the_last = 0;
  for (size_t i = 0; i < averaged.size(); ++i) {
    error = worse(error, std::abs(averaged[i] - expected[i]));
    from_the_last = worse(from_the_last, std::abs(averaged[i] - steps[i]));
  }
  CHECK(error < 1e-6);
  CHECK(from_the_last > 1e-4);
}

TEST_CASE(
    "fine-tuning starts from another run's weights, and logs which parameters were not loaded") {
  const TemporaryFolder folder;
  run(folder);
  run(folder,
      {"model.init_from=" + folder.path("run"), "training.until=1u", "training.learning_rate=1e-9",
       "model.encoder_layers=2"},
      "tuned");
  const std::string log = folder.read("tuned/train.log");
  CHECK(log.find("parameters start from") != std::string::npos);
  CHECK(log.find("not loaded: ") != std::string::npos);
  CHECK(largest_difference(open_translation_run(folder.path("run/best")),
                           open_translation_run(folder.path("tuned"))) < 1e-6);

  // output.weight is part of the names of other tensors.
  run(folder, {"model.tied=none", "model.output_bias=true"}, "apart");
  run(folder,
      {"model.tied=none", "model.output_bias=true", "training.until=1u",
       "model.init_from=" + folder.path("apart")},
      "all");
  CHECK(folder.read("all/train.log").find("not loaded: ") == std::string::npos);
}

TEST_CASE(
    "with bpe_dropout, a resumed run ends in the same bits, which differ from those without it") {
  const TemporaryFolder folder;
  const std::vector<std::string> bpe = {"tokenizer.kind=sentencepiece-bpe",
                                        "tokenizer.vocabulary_size=50"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), bpe.begin(), bpe.end());
    return more;
  };
  run(folder, with({}), "plain");
  run(folder, with({"tokenizer.bpe_dropout=0.2"}), "whole");
  run(folder, with({"tokenizer.bpe_dropout=0.2", "training.until=13u"}), "resumed");
  run(folder, with({"tokenizer.bpe_dropout=0.2"}), "resumed");
  CHECK(tensors(folder, "whole 000030") == tensors(folder, "resumed 000030"));
  CHECK(tensors(folder, "whole 000030") != tensors(folder, "plain 000030"));
}

TEST_CASE("bpe_dropout does not change a pair that would become too long, and requires merges") {
  const Tokenizer bpe = train_tokenizer({"hello hello world world"}, {.kind = TokenizerKind::bpe},
                                        {.vocabulary_size = 20});
  Config config;
  config.tokenizer.bpe_dropout = 0.9;
  const Example whole{bpe.encode("hello"), bpe.encode("world hello")};
  ExampleSet set;
  set.read = [&](int64_t, int64_t, Example& out) { out = whole; };
  const auto varied = [&](int64_t longest, int64_t epoch) {
    config.data.max_length = longest;
    Example pair;
    with_bpe_dropout(set, config, {bpe, bpe}).read(epoch, 7, pair);
    return pair;
  };
  CHECK(varied(0, 1)[0] != whole[0]);
  CHECK(varied(0, 1)[0] == varied(0, 1)[0]);
  CHECK(varied(std::ssize(whole[0]), 1)[0] == whole[0]);
  CHECK(bpe.decode(varied(0, 2)[1]) == "world hello");

  const Tokenizer words = train_tokenizer({"hello world"}, {.kind = TokenizerKind::words}, {});
  CHECK(message_of([&] {
          with_bpe_dropout(set, config, {words, words});
        }).find("needs a BPE model") != std::string::npos);
  config.tokenizer.bpe_dropout = 0;
  CHECK(varied(0, 1) == whole);
}

TEST_CASE("lower is better for losses and perplexity, and higher for the other metrics") {
  std::string lower, higher;
  for (const MetricInfo& metric : metrics_of(TaskKind::translation)) {
    REQUIRE(metric.better != Better::neither);
    (is_better(1, 2, metric.better) ? lower : higher) += metric.name + " ";
    CHECK(is_better(1, 2, metric.better) != is_better(2, 1, metric.better));
    CHECK_FALSE(is_better(1, 1, metric.better));
  }
  CHECK(lower == "loss nll perplexity copied repeated ");
  CHECK(higher == "accuracy bleu chrf exact ");
}

TEST_CASE("without --run a run is named after its config") {
  CHECK(default_run_folder("configs/multi30k.yaml") == "runs/multi30k");
}

TEST_CASE("an unused folder's name is beside the old one, also if the old name ends in a slash") {
  const TemporaryFolder folder;
  CHECK(unused_run_folder(folder.path("new/")) == folder.path("new"));
  std::filesystem::create_directory(folder.path("old"));
  CHECK(unused_run_folder(folder.path("old/")) == folder.path("old-2"));
}
