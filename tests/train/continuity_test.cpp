// What a change of the config or an interruption must preserve: the best checkpoints, a validation
// that is due, the tokenizers and lower case.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/files/content_hash.h"
#include "train/config/show.h"
#include "train/run/plan.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/shared_validation.h"
#include "train/tasks/translation/run.h"
#include "train/tasks/translation/validation.h"
#include "train/trainer_fixture.h"
#include "train/weights/averaging.h"
#include "train/weights/resume.h"

using namespace calque;

TEST_CASE("the best checkpoint by one metric is kept when the metric changes and changes back") {
  const TemporaryFolder folder;
  const auto best_state = [&] {
    return nlohmann::json::parse(folder.read("run/last/state.json"))["best"];
  };
  run(folder, {"training.keep_last=1", "training.keep_best=3", "training.save_every=5u",
               "training.validate_every=5u"});
  const auto scores = best_state()["loss"];
  REQUIRE(scores.size() == 3);
  const auto exists = [&](size_t rank) {
    return std::filesystem::exists(folder.path("run/checkpoints/") +
                                   fmt::format("step-{:06}", scores[rank]["step"].get<int>()));
  };
  // On a finished run, training only removes checkpoints and updates links.
  run(folder, {"training.keep_last=1", "training.keep_best=3", "training.metric=chrf",
               "training.validate_translate=greedy"});
  CHECK((exists(0) && exists(1) && exists(2)));
  run(folder, {"training.keep_last=1", "training.metric=chrf", "training.validate_translate=greedy",
               "training.until=35u"});
  CHECK(exists(0));
  CHECK(best_state()["chrf"].size() == 1);
  run(folder, {"training.keep_last=1", "training.until=60u", "training.validate_every=5u"});
  CHECK(best_state()["loss"].size() == 1);  // keep_best is 1 again
  open_translation_run(folder.path("run"));
}

TEST_CASE("a run whose newest checkpoint is of a newer calque is refused and left as it is") {
  const TemporaryFolder folder;
  run(folder);
  const std::string state = "run/checkpoints/step-000030/state.json";
  std::string newer = folder.read(state);
  newer.erase(newer.rfind(",\n  \"xxh64\""));
  newer.replace(newer.find("\"format\": 6"), 11, "\"format\": 7");
  newer += fmt::format(",\n  \"xxh64\": \"{:016x}\"\n}}\n", content_hash(newer));
  folder.write(state, newer);
  const std::string log = folder.read("run/train.log"), metrics = folder.read("run/metrics.jsonl");
  const std::string config = folder.read("run/config.yaml");
  const std::string message = message_of([&] { run(folder, {"training.until=40u"}); });
  CHECK_MESSAGE(message.find("written by a newer calque") != std::string::npos, message);
  CHECK(folder.read(state) == newer);
  CHECK(folder.read("run/train.log") == log);
  CHECK(folder.read("run/metrics.jsonl") == metrics);
  CHECK(folder.read("run/config.yaml") == config);
  CHECK(std::filesystem::exists(folder.path("run/checkpoints/step-000020")));
}

TEST_CASE("a run with a state of the second format resumes with the same bits") {
  const TemporaryFolder folder;
  run(folder);
  run(folder, {"training.until=40u"}, "whole");
  const std::string path = "run/checkpoints/step-000030/state.json";
  auto state = nlohmann::ordered_json::parse(folder.read(path));
  for (const char* newer : {"slices", "chunks", "mean_of", "int8", "base", "retired",
                            "goal_reached", "longest_input", "xxh64"})
    state.erase(newer);
  state["format"] = 2;
  state["divergence"]["square"] = 1.5;
  state["seeds"] = {{"training", 1}};
  std::string config = state["config"];
  REQUIRE(config.find("task: translation\n") != std::string::npos);
  config.erase(config.find("task: translation\n"), 18);
  state["config"] = config;
  std::string text = state.dump(2);
  text.resize(text.size() - 2);
  text += fmt::format(",\n  \"xxh64\": \"{:016x}\"\n}}\n", content_hash(text));
  folder.write(path, text);
  folder.write("run/config.yaml", config);
  CHECK(open_translation_run(folder.path("run")).step == 30);
  CHECK(run(folder, {"training.until=40u"}).step == 40);
  CHECK(tensors(folder, "run 000040") == tensors(folder, "whole 000040"));
}

TEST_CASE(
    "a missing tokenizer is trained again only with the same result, and the other one is "
    "unchanged") {
  const TemporaryFolder folder;
  const std::string text = "a b c\tx y z\nb a\ty x\nc a\tz x\n";
  folder.write("pairs.tsv", text);
  const std::vector<std::string> settings = {"data.train={tsv: " + folder.path("pairs.tsv") + "}",
                                             "tokenizer.joint=false", "model.tied=none",
                                             "data.validation={toy: reverse, pairs: 5}"};
  run(folder, settings);
  const std::string source = folder.read("run/tokenizer.source.vocab");
  const std::string target = folder.read("run/tokenizer.target.vocab");
  std::filesystem::remove(folder.path("run/tokenizer.source.vocab"));
  folder.write("pairs.tsv", "d e\tv w\nd e f\tv w u\n");
  const std::string message = message_of([&] { run(folder, settings); });
  CHECK_MESSAGE(message.starts_with(folder.path("run/tokenizer.source.vocab: is missing")),
                message);
  CHECK_FALSE(std::filesystem::exists(folder.path("run/tokenizer.source.vocab")));
  CHECK(folder.read("run/tokenizer.target.vocab") == target);
  folder.write("pairs.tsv", text);
  CHECK(run(folder, settings).ending == Ending::already_finished);
  CHECK(folder.read("run/tokenizer.source.vocab") == source);
  CHECK(folder.read("run/tokenizer.target.vocab") == target);
}

TEST_CASE("a config with 6000 corpora is read back from the run, and one with 40,000 is refused") {
  const TemporaryFolder folder;
  folder.write("c.a", "a b\nb\n");
  folder.write("c.b", "b a\nb\n");
  const auto of_corpora = [&](int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += folder.path("c") + ", ";
    return config({"data.train=" + text + "]", "data.languages=[a, b]", "training.until=1u",
                   "data.validation={toy: reverse, pairs: 5}"});
  };
  train(of_corpora(6000), {folder.path("run")}, Loudness::quiet, make_task);
  CHECK(folder.read("run/config.yaml").size() > 300'000);
  CHECK(open_translation_run(folder.path("run")).config.data.train.size() == 6000);

  const std::string message = message_of(
      [&] { train(of_corpora(40'000), {folder.path("larger")}, Loudness::quiet, make_task); });
  CHECK_MESSAGE(message.starts_with("the config, written with all defaults, has "), message);
  CHECK_FALSE(std::filesystem::exists(folder.path("larger/tokenizer.vocab")));
}

TEST_CASE("an interrupted validation is repeated when the run resumes, and written once") {
  const TemporaryFolder folder;
  run(folder);
  const std::string metrics = folder.read("run/metrics.jsonl");
  const std::string checkpoint = folder.path("run/checkpoints/step-000030");
  TrainingState state = load_state(real_files(), checkpoint);
  REQUIRE(!state.validation_owed);
  const TrainingState finished = state;
  state.validation_owed = true;
  state.best.clear();
  state.early_stopping = {};
  replace_text(real_files(), checkpoint + "/state.json", format_state(state));
  std::filesystem::remove(folder.path("run/best"));

  CHECK(run(folder).ending == Ending::finished);
  state = load_state(real_files(), checkpoint);
  CHECK(!state.validation_owed);
  CHECK(state.early_stopping.validations == 1);
  CHECK(state.best.at("loss").front().step == 30);
  CHECK(std::filesystem::read_symlink(folder.path("run/best")) == "checkpoints/step-000030");
  const auto losses = [](const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      auto json = nlohmann::json::parse(line);
      json.erase("timing");
      found.push_back(json.dump());
    }
    return found;
  };
  CHECK(losses(folder.read("run/metrics.jsonl")) == losses(metrics));
  CHECK(run(folder).ending == Ending::already_finished);
}

TEST_CASE("a stop request ends a validation") {
  const TemporaryFolder folder;
  run(folder);
  const TranslationRun trained = open_translation_run(folder.path("run"));
  Config translating = config({"training.validate_translate=greedy", "training.batch_tokens=40"});
  const Validation validation(translating, trained.tokenizers, trained.folder.cache());
  const auto ends = [&](const std::function<bool()>& stop) {
    return shared_validation(
               only_rank(), stop,
               [&](const BatchShare& share) { return validation.scores(trained.model(), share); })
        .has_value();
  };
  CHECK(ends([] { return false; }));
  CHECK(!ends([] { return true; }));
  int asked = 0;
  CHECK(!ends([&] { return ++asked > 1; }));
  CHECK(asked == 2);
}

TEST_CASE("data.lowercase also applies to the references") {
  const CorpusSource source{in_memory(
      "one pair", std::vector<std::pair<std::string, std::string>>{{"Ein HAUS", "A House Über"}})};
  DataConfig data;
  CHECK(read_texts({source}, 0, data).references.front() == "A House Über");
  data.lowercase = true;
  CHECK(read_texts({source}, 0, data).references.front() == "a house über");
  CHECK(read_texts({source}, 0, data).sources.front() == "Ein HAUS");
}

TEST_CASE("fine-tuning with a tokenizer other than that of the weights is refused") {
  const TemporaryFolder folder;
  run(folder);
  const std::vector<std::string> other = {"data.train={toy: reverse, pairs: 350, longest: 6}",
                                          "training.until=1u",
                                          "model.init_from=" + folder.path("run")};
  const std::string message = message_of([&] { run(folder, other, "other"); });
  CHECK_MESSAGE(message.find("another tokenizer") != std::string::npos, message);
  CHECK(message.find("tokenizer.files") != std::string::npos);
}

TEST_CASE(
    "another validation corpus starts new best scores, and the earlier best checkpoints are kept") {
  const TemporaryFolder folder;
  const std::vector<std::string> often = {"training.validate_every=5u", "training.save_every=5u",
                                          "training.keep_last=1"};
  run(folder, often);
  const TrainingState before = load_state(real_files(), folder.path("run/last"));
  const int64_t best = before.best.at("loss").front().step;
  std::vector<std::string> other = often;
  other.emplace_back("data.validation={toy: reverse, pairs: 20, longest: 9}");
  other.emplace_back("training.until=35u");
  other.emplace_back("training.patience=1");  // longer sentences are harder: no better than before
  CHECK(run(folder, other).ending == Ending::finished);
  const TrainingState after = load_state(real_files(), folder.path("run/last"));
  REQUIRE(after.best.at("loss").size() == 1);
  CHECK(after.best.at("loss").front().step == 35);
  REQUIRE(after.retired.size() == 1);
  CHECK(after.retired[0].metric == "loss");
  CHECK(after.retired[0].until == 30);
  CHECK(after.retired[0].scores.front().step == best);
  CHECK(std::filesystem::exists(folder.path(fmt::format("run/checkpoints/step-{:06}", best))));
  CHECK(folder.read("run/train.log").find("is determined from now on") != std::string::npos);
  other.emplace_back("data.validation={toy: reverse, pairs: 20, longest: 12}");
  other.emplace_back("training.until=40u");
  run(folder, other);
  const TrainingState last = load_state(real_files(), folder.path("run/last"));
  CHECK(last.best.size() == 1);
  REQUIRE(last.retired.size() == 2);
  CHECK(last.retired[0].until == 30);
  CHECK(last.retired[1].until == 35);
}

TEST_CASE("only settings that a validation uses retire its scores") {
  const auto judged_anew = [](const char* translate, const std::string& change) {
    const std::string how = std::string("training.validate_translate=") + translate;
    TrainingState state;
    state.config = show_config(config({how}));
    state.best = {{"bleu", {{1, 10}}}, {"chrf", {{1, 10}}}, {"loss", {{1, 10}}}};
    const TemporaryFolder folder;
    const auto task = make_task(config(), {folder.path("run")}, {TaskStart::Purpose::plan});
    retire_incomparable_scores(state, config({how}), config({how, change}), *task);
    std::string names;
    for (const RetiredScores& retired : state.retired) names += retired.metric + " ";
    return names;
  };
  for (const char* of_beams :
       {"decoding.beam=7", "decoding.length_penalty=2", "decoding.length_penalty_kind=wu",
        "decoding.early_stopping=first"}) {
    CAPTURE(of_beams);
    CHECK(judged_anew("greedy", of_beams).empty());
    CHECK(judged_anew("beam", of_beams) == "bleu chrf ");
  }
  CHECK(judged_anew("greedy", "decoding.max_length=7") == "bleu chrf ");
  CHECK(judged_anew("greedy", "decoding.bleu_tokenize=intl") == "bleu ");
  CHECK(judged_anew("beam", "decoding.bleu_lowercase=true") == "bleu ");
  CHECK(judged_anew("beam", "decoding.batch_tokens=7").empty());
  CHECK(judged_anew("greedy", "training.validate_sentences=5") == "bleu chrf ");
}

TEST_CASE("the time of training includes a validation just before the run ends") {
  const TemporaryFolder folder;
  run(folder, {"training.until=1u", "training.validate_translate=greedy",
               "data.validation={toy: reverse, pairs: 2000, longest: 6}"});
  std::string metrics = folder.read("run/metrics.jsonl");
  metrics.erase(0, metrics.find("{\"kind\":\"valid\""));
  const auto record = nlohmann::json::parse(metrics.substr(0, metrics.find('\n')));
  const double seconds = record["timing"]["seconds"];
  CHECK(load_state(real_files(), folder.path("run/last")).seconds_trained >= seconds);
}

TEST_CASE("a run that is out of patience continues with another metric, but not with the same") {
  const TemporaryFolder folder;
  const std::vector<std::string> hopeless = {"training.learning_rate=1e-9", "training.patience=2",
                                             "training.metric=accuracy", "training.until=500u",
                                             "training.validate_every=5u"};
  REQUIRE(run(folder, hopeless).ending == Ending::patience);
  CHECK(run(folder, hopeless).ending == Ending::no_patience_left);
  std::vector<std::string> other = hopeless;
  other.emplace_back("training.metric=loss");
  const int64_t step = load_state(real_files(), folder.path("run/last")).step;
  CHECK(run(folder, other).step > step);
}

TEST_CASE("the mean of two runs has the mean of each weight, and the first run's config") {
  const TemporaryFolder folder;
  run(folder);
  const std::string general = folder.path("run/last"), tuned = folder.path("tuned/last");
  const std::vector<std::string> tuning = {"training.until=10u", "training.seed=2",
                                           "model.init_from=" + general};
  run(folder, tuning, "tuned");
  average_weights({general, tuned}, folder.path("mean"), make_task);
  const TranslationRun a = open_translation_run(general), b = open_translation_run(tuned),
                       mean = open_translation_run(folder.path("mean"));
  const auto weights = [](const TranslationRun& of) { return of.network->parameters.values(); };
  size_t apart = 0;
  for (size_t i = 0; i < weights(mean).size(); ++i) {
    const double right = (double(weights(a)[i]) + double(weights(b)[i])) / 2;
    CHECK(weights(mean)[i] == static_cast<real>(right));
    apart += weights(a)[i] != weights(b)[i] ? 1 : 0;
  }
  CHECK(apart > 1000);
  CHECK(folder.read("mean/config.yaml") == folder.read("run/config.yaml"));

  const auto refusal = [&](const std::string& other) {
    return message_of([&] { average_weights({general, other}, folder.path("none"), make_task); });
  };
  run(folder, {"training.until=1u", "model.heads=4"}, "heads");
  CHECK(refusal(folder.path("heads")).find("its model differs from") != std::string::npos);
  run(folder, {"training.until=1u", "data.train={toy: sort, pairs: 400, symbols: 5}"}, "words");
  CHECK(refusal(folder.path("words")).find("its vocabulary differs from") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path("none")));
}

TEST_CASE("an average of checkpoints cannot be resumed, also with an optimizer without state") {
  const TemporaryFolder folder;
  const std::vector<std::string> forgetful = {"training.optimizer=sgd", "training.momentum=0",
                                              "training.until=60u"};
  run(folder, forgetful);
  average_weights({folder.path("run/checkpoints/step-000050"), folder.path("run/last")},
                  folder.path("mean"), make_task);
  std::vector<std::string> longer = forgetful;
  longer.emplace_back("training.until=70u");
  const std::string message = message_of([&] { run(folder, longer, "mean"); });
  CHECK_MESSAGE(message.find("model.init_from") != std::string::npos, message);
  CHECK_FALSE(std::filesystem::exists(folder.path("mean/train.log")));
  CHECK(run(folder, longer).step == 70);
}

TEST_CASE("a run does not start from damaged weights") {
  const TemporaryFolder folder;
  run(folder);
  const std::string weights = "run/checkpoints/step-000030/model.safetensors";
  std::string bytes = folder.read(weights);
  bytes[bytes.size() - 2] ^= 1;  // changes one number, which stays finite
  folder.write(weights, bytes);
  const std::string message = message_of([&] {
    run(folder, {"training.until=1u", "model.init_from=" + folder.path("run/last")}, "tuned");
  });
  CHECK(
      message.ends_with("model.safetensors: damaged: its contents are not those that were saved"));
  // Outside a checkpoint there is no digest of the file.
  const std::string alone = folder.write("alone.safetensors", bytes);
  CHECK(run(folder, {"training.until=1u", "model.init_from=" + alone}, "alone").step == 1);
}

TEST_CASE("the plan of a resumed run needs only the run's files") {
  const TemporaryFolder folder;
  run(folder, {}, "first");
  const std::vector<std::string> tuned = {
      "model.init_from=" + folder.path("first"),
      "tokenizer.files=[" + folder.path("first/tokenizer.vocab") + "]"};
  run(folder, tuned, "tuned");
  const auto planned = [&] {  // without the times, which are measured
    const std::string plan = training_plan(config(tuned), {folder.path("tuned")}, make_task);
    return plan.substr(0, plan.find("an update: "));
  };
  const std::string before = planned();
  std::filesystem::remove_all(folder.path("first"));
  CHECK(planned() == before);
  CHECK(!message_of([&] {
           training_plan(config(tuned), {folder.path("other")}, make_task);
         }).empty());
}

TEST_CASE("the plan counts an epoch's updates by whichever limit of a batch comes first") {
  const TemporaryFolder folder;
  const auto planned = [&](const std::vector<std::string>& settings, const std::string& updates) {
    const std::string plan = training_plan(config(settings), {folder.path("none")}, make_task);
    CHECK_MESSAGE(plan.find("an epoch: about " + updates + " updates") != plan.npos, plan);
  };
  planned({"training.batch_tokens=0", "training.batch_sentences=10"}, "40");  // of 400 pairs
  planned({"training.batch_tokens=100000", "training.batch_sentences=10"}, "40");
  planned({"training.batch_sentences=10", "training.accumulation=4"}, "10");
  planned({"training.batch_tokens=100000", "training.batch_sentences=400"}, "1");
}

TEST_CASE(
    "fine-tuning can start from an average, and missing weights are an error before any work") {
  const TemporaryFolder folder;
  run(folder);
  average_weights({folder.path("run/checkpoints/step-000020"), folder.path("run/last")},
                  folder.path("average"), make_task);
  run(folder, {"training.until=1u", "model.init_from=" + folder.path("average")}, "tuned");
  CHECK(folder.read("tuned/train.log").find("parameters start from") != std::string::npos);
  CHECK(load_state(real_files(), folder.path("average/checkpoints/step-000020")).best.empty());

  for (const std::string& setting :
       {"model.init_from=" + folder.path("nowhere"),
        std::string("data.validation={prefix: nowhere, languages: [a, b]}")}) {
    const std::string message = message_of([&] { run(folder, {setting}, "late"); });
    CHECK_MESSAGE(message.find("nowhere") != std::string::npos, message);
    CHECK_FALSE(std::filesystem::exists(folder.path("late/tokenizer.vocab")));
    CHECK_FALSE(std::filesystem::exists(folder.path("late/train.log")));
    CHECK(message_of([&] { training_plan(config({setting}), {folder.path("late")}, make_task); }) ==
          message);
  }
}
