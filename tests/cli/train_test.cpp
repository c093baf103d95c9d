// calque train as a program: its files, messages, exit statuses and signals.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/program.h"
#include "data/temporary_folder.h"

namespace calque {
namespace {

constexpr const char* small_config = R"(
data: {train: {toy: copy, pairs: 300, longest: 5}, validation: {toy: copy, pairs: 20, longest: 5}}
tokenizer: {kind: words}
model: {d_model: 16, d_ff: 32, heads: 2, encoder_layers: 1, decoder_layers: 1}
training: {until: 20u, batch_tokens: 256, validate_every: 10u, save_every: 10u, validate_translate: greedy, schedule: constant}
logging: {every: 5}
)";

// A folder with the config, and the command that trains in its subfolder `run`.
struct TrainingFolder {
  TemporaryFolder folder;
  std::string config = folder.write("small.yaml", small_config);
  std::string command = "calque train '" + config + "' --run '" + folder.path("run") + "'";
};

}  // namespace

TEST_CASE("without a terminal, train prints no progress bar, and it prints the path of the model") {
  const TrainingFolder training;
  const CommandResult ran = run(training.command);
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out.find("step     20") != std::string::npos);
  CHECK(ran.out.find("valid    20") != std::string::npos);
  CHECK(ran.out.find('\r') == std::string::npos);
  CHECK(ran.out.find("finished at step 20") != std::string::npos);
  CHECK(ran.out.find("the model is in " + training.folder.path("run")) != std::string::npos);
  CHECK(training.folder.read("run/report.html").size() > 1000);
}

TEST_CASE(
    "--profile prints a table of the ops, and saves the table and a trace in the run's folder") {
  const TrainingFolder training;
  const CommandResult ran = run(training.command + " --profile");
  CHECK(ran.status == 0);
  for (const char* part : {"\nlinear  ", "self_attention", "projected_cross_entropy", "update",
                           "besides: validation", "20 steps."}) {
    CHECK_MESSAGE(ran.out.find(part) != std::string::npos, part);
  }
  CHECK(ran.out.find(training.folder.read("run/profile.txt")) != std::string::npos);
  CHECK(training.folder.read("run/trace.json").starts_with("{\"traceEvents\":["));
  // The run has finished, so there is no step to profile.
  CHECK(run(training.command + " --profile").out.find("GFLOP") == std::string::npos);
}

TEST_CASE(
    "the same command on a finished run says how to continue it, and --fresh starts a new run") {
  const TrainingFolder training;
  run(training.command + " --quiet");
  const CommandResult again = run(training.command);
  CHECK(again.status == 0);
  CHECK(again.out.find("has finished, at step 20") != std::string::npos);
  CHECK(again.out.find("--set training.until=") != std::string::npos);
  CHECK(run(training.command + " --fresh --quiet").status == 0);
  CHECK(training.folder.read("run-2/train.log").size() > 100);
  const CommandResult fresh = run(training.command +
                                  "/ --fresh --set 'training.betas=[0.9, 0.98]' --threads 1"
                                  " --profile --set training.until=3u");
  CHECK(fresh.out.find("the model is in " + training.folder.path("run-3")) != std::string::npos);
}

TEST_CASE("a finished run whose learning rate has reached its end cannot be trained further") {
  for (const char* schedule : {"linear --set training.warmup_steps=5", "auto"}) {
    CAPTURE(schedule);
    const TrainingFolder training;
    const std::string command = training.command + " --set training.schedule=" + schedule;
    run(command + " --quiet");
    const CommandResult again = run(command);
    CHECK(again.status == 0);
    CHECK(again.out.find("the end of its learning rate schedule") != std::string::npos);
    CHECK(again.out.find("model.init_from: " + training.folder.path("run")) != std::string::npos);
    CHECK(again.out.find("--set training.until=") == std::string::npos);
    CHECK(again.out.find("--fresh") != std::string::npos);
  }
}

TEST_CASE("a finished run whose learning rate ends later can be trained until then") {
  const TrainingFolder training;
  const std::string command = training.command +
                              " --set training.schedule=linear --set training.warmup_steps=5"
                              " --set 'training.until=[1000u, 100t]'";
  run(command + " --quiet");
  const CommandResult again = run(command);
  CHECK(again.out.find("the end of its learning rate") == std::string::npos);
  CHECK(again.out.find("--set training.decay_steps=1000 --set training.until=...") !=
        std::string::npos);
  const CommandResult further =
      run(command + " --set training.decay_steps=1000 --set training.until=300t --quiet");
  CHECK_MESSAGE(further.status == 0, further.err);
}

TEST_CASE("a finished run that is trained further says how its learning rate changes") {
  const TrainingFolder training;
  const std::string command = training.command + " --set training.schedule=auto";
  const CommandResult first = run(command);
  CHECK(first.out.find("the learning rate goes from") == std::string::npos);
  const std::string note =
      "; to train the finished weights further instead, start another run with --fresh --set "
      "model.init_from=" +
      training.folder.path("run");
  for (const std::string option : {" --dry-run", ""}) {
    const CommandResult further = run(command + " --set training.until=22u" + option);
    CHECK_MESSAGE(further.status == 0, further.err);
    CHECK_MESSAGE(further.out.find("the learning rate goes from ") != std::string::npos,
                  further.out);
    CHECK_MESSAGE(further.out.find(note) != std::string::npos, further.out);
  }
  const CommandResult constant = run(training.command + " --fresh --quiet");
  CHECK(constant.status == 0);
  CHECK(run("calque train '" + training.config + "' --run '" + training.folder.path("run-2") +
            "' --set training.until=22u")
            .out.find("the learning rate goes from") == std::string::npos);
}

TEST_CASE("after --fresh, the same command resumes the newest run that has not finished") {
  const TrainingFolder training;
  const std::string command =
      "cd '" + training.folder.path("") + "' && calque train small.yaml --set training.until=";
  REQUIRE(run(command + "10u --quiet").status == 0);
  REQUIRE(run(command + "5u --quiet --fresh").status == 0);
  const CommandResult resumed = run(command + "10u");
  CHECK_MESSAGE(resumed.out.find("resuming runs/small-2 at step 5") != std::string::npos,
                resumed.out);
  CHECK(run(command + "10u").out.find("runs/small has finished, at step 10") != std::string::npos);
  // A run of another config, whose name looks like one of --fresh, is left alone.
  REQUIRE(run(command + "5u --quiet --fresh --set model.d_ff=16").status == 0);
  CHECK(run(command + "10u").out.find("runs/small has finished, at step 10") != std::string::npos);
}

TEST_CASE("the command for resuming has the folder and the settings of the run") {
  const TrainingFolder training;
  const std::string settings = " --set 'training.betas=[0.9, 0.95]' --threads 1";
  run(training.command + " --quiet" + settings);
  run(training.command + " --quiet --fresh" + settings);
  const CommandResult ran = run("calque train '" + training.config + "' --run '" +
                                training.folder.path("run-2") + "/'" + settings);
  CHECK_MESSAGE(
      ran.out.find("--run " + training.folder.path("run-2") + settings) != std::string::npos,
      ran.out);
}

TEST_CASE("training continues when nobody reads its output") {
  const TrainingFolder training;
  run(training.command + " --set training.until=200u 2>&1 | head -n 1");
  CHECK(training.folder.read("run/train.log").find("step    200") != std::string::npos);
  CHECK(training.folder.read("run/train.log").find("problem: standard output") !=
        std::string::npos);
  CHECK(
      run(training.command + " --set training.until=200u").out.find("has finished, at step 200") !=
      std::string::npos);
}

TEST_CASE("a signal ends train with a command for resuming, and with status 130 or 143") {
  const TrainingFolder training;
  for (const auto& [signal, status] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    // timeout cannot run the shell function `calque`, so the program's path replaces that word.
    const CommandResult ran =
        run("timeout -s " + std::string(signal) + " --preserve-status 2 " CALQUE_PROGRAM +
            training.command.substr(6) + " --set training.until=10000000u");
    CHECK(ran.status == status);
    CHECK(ran.out.find("interrupted at step") != std::string::npos);
    CHECK(ran.out.find("calque train") != std::string::npos);
  }
  CHECK(training.folder.read("run/train.log").find("resuming") != std::string::npos);
}

TEST_CASE("a second process refuses to train in the same folder") {
  const TrainingFolder training;
  const std::string lock = "'" + training.folder.path("run/lock") + "'";
  // The first process writes its name to the lock right after it has taken it.
  const CommandResult ran =
      run("(" + training.command + " --set training.until=5s >/dev/null & " +
          "for i in $(seq 200); do [ -s " + lock + " ] && break; sleep 0.05; done; " +
          training.command + "; status=$?; wait; exit $status)");
  CHECK(ran.status == 1);
  CHECK(count_lines(ran.err) == 1);
  CHECK(ran.err.find(" is training in this folder; wait for it") != std::string::npos);
}

TEST_CASE("--dry-run prints the length of an epoch and of the run, and writes nothing") {
  const TrainingFolder training;
  const CommandResult ran = run(training.command + " --dry-run");
  CHECK(ran.status == 0);
  CHECK(ran.out.find("an epoch: about") != std::string::npos);
  CHECK(ran.out.find("from epoch") == std::string::npos);
  const CommandResult pretrained = run(training.command +
                                       " --dry-run --set 'data.train=[{toy: copy, pairs: 9000}, "
                                       "{toy: copy, pairs: 9000, weight: 2, epochs: 16}]'");
  // An epoch has 9000 + 2 * 9000 examples while both corpora are used.
  CHECK(pretrained.out.find(" updates of 27000 examples in all") != std::string::npos);
  CHECK(pretrained.out.find(" from epoch 17 on\n") != std::string::npos);
  // Three pairs are one update, so the run has 10^10 updates.
  const CommandResult tiny =
      run(training.command +
          " --dry-run --set 'data.train=[{toy: copy, pairs: 3}]' "
          "--set training.until=10000000000e --set training.batch_tokens=4096");
  CHECK(tiny.out.find("an epoch: about 1 updates") != std::string::npos);
  CHECK_MESSAGE(tiny.out.find("min in all") != std::string::npos, tiny.out);
  CHECK_FALSE(std::filesystem::exists(training.folder.path("run")));
}

TEST_CASE("--dry-run of an existing run prints its step, or why it cannot be resumed") {
  const TrainingFolder training;
  run(training.command + " --quiet");
  const CommandResult planned = run(training.command + " --dry-run");
  CHECK(planned.status == 0);
  CHECK(planned.out.find("and resumes from there") != std::string::npos);
  const CommandResult refused = run(training.command + " --dry-run --set model.d_ff=48");
  CHECK(refused.status == 1);
  CHECK(refused.err.find("model.d_ff") != std::string::npos);
}

TEST_CASE(
    "evaluate, average and info accept a trained run, and refuse missing splits and checkpoints") {
  const TrainingFolder training;
  run(training.command + " --quiet");
  const std::string folder = "'" + training.folder.path("run") + "'";
  const CommandResult evaluated =
      run("calque evaluate " + folder + " --split validation --samples 1 --threads 1");
  CHECK(evaluated.status == 0);
  CHECK(evaluated.out.starts_with(training.folder.path("run/best") + ", step "));
  CHECK(evaluated.out.find("exact matches") != std::string::npos);
  CHECK(run("calque average " + folder + " --last 2").status == 0);
  CHECK(run("calque info '" + training.folder.path("run-average") + "'").status == 0);
  const std::string checkpoint = "'" + training.folder.path("run-average/last") + "'";
  CHECK(run("calque average " + folder + " " + checkpoint + " --out '" +
            training.folder.path("both") + "'")
            .status == 0);
  const std::string existing = "'" + training.folder.path("run-average") + "'";
  CHECK(run("calque average /nosuch /nosuch --out " + existing).err.find("exists already") !=
        std::string::npos);
  CHECK(run("cd " + folder + " && rm -r ../run-average && calque average . --last 2").status == 0);
  CHECK(std::filesystem::exists(training.folder.path("run-average/last")));
  CHECK(run("cd " + folder + " && rm -r ../run-average && calque average last best").status == 0);
  CHECK(std::filesystem::exists(training.folder.path("run-average/last")));
  CHECK(run("calque average " + folder).err.find("several runs") != std::string::npos);
  CHECK(run("calque average " + folder + " --last 99").err.find("training.keep_last") !=
        std::string::npos);
  for (const std::string missing : {"nonsense", "test"}) {
    const CommandResult refused = run("calque evaluate " + folder + " --split " + missing);
    CHECK(refused.status == 1);
    CHECK(refused.err == "calque: --split " + missing +
                             ": the run's config has no such corpus; give --source and --target, "
                             "or a split that it has: train, validation\n");
  }
}

TEST_CASE("data check accepts the corpora that data writes, and refuses files of unequal length") {
  const TemporaryFolder folder;
  const std::string out = "--out '" + folder.path("corpus") + "'";
  CHECK(run("calque data toy-en-de --split train --pairs 1000 --seed 1 " + out).status == 0);
  CHECK(run("calque data toy-en-de --split validation --pairs 50 " + out).status == 0);
  CHECK(count_lines(folder.read("corpus/train.en")) == 1000);
  CHECK(count_lines(folder.read("corpus/train.de")) == 1000);
  const std::string config = folder.write(
      "c.yaml", "data: {languages: [en, de], train: {prefix: " + folder.path("corpus/train") +
                    "}, validation: {prefix: " + folder.path("corpus/validation") +
                    "}}\ntokenizer: {kind: words}\n");
  const CommandResult checked = run("calque data check '" + config + "'");
  CHECK_MESSAGE(checked.status == 0, checked.out);
  CHECK(checked.out.find("1000 pairs kept") != std::string::npos);
  CHECK(checked.out.find("calque data clean") == std::string::npos);
  CHECK(checked.err.empty());
  folder.write("corpus/train.de", "eine Zeile\n");
  const CommandResult broken = run("calque data check '" + config + "'");
  CHECK(broken.status == 1);
}

TEST_CASE("a toy language becomes conversations for a language model") {
  const TemporaryFolder folder;
  const std::string toy = "calque data toy-en-de --pairs 3 --out " + folder.path("toy");
  REQUIRE(run(toy).status == 0);
  REQUIRE(run(toy + " --prompt 'Say {} in \"German\":'").out ==
          "3 conversations in " + folder.path("toy") + "/train.jsonl\n");
  std::istringstream sources(folder.read("toy/train.en")), targets(folder.read("toy/train.de"));
  std::istringstream lines(folder.read("toy/train.jsonl"));
  std::string source, target, line;
  int count = 0;
  while (std::getline(sources, source) && std::getline(targets, target) &&
         std::getline(lines, line)) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json["prompt"] == "Say " + source + " in \"German\":");
    CHECK(json["completion"] == " " + target);
    ++count;
  }
  CHECK(count == 3);
  check_refused(run(toy + " --prompt x"), 2, "--prompt: has no {}, the place of the source");
  check_refused(run(toy + " --prompt '{}'"), 1,
                "train.jsonl: already exists; choose another --out");
}

}  // namespace calque
