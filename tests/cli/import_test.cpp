// calque import: a model that was exported becomes a run like the one it came from.
#include <doctest/doctest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

TEST_CASE("an imported language model generates and scores like its run, and can be trained on") {
  const Trained& own = trained_language_model();
  const std::string folder = own.file("to-import"), imported = own.file("imported");
  REQUIRE(run("calque export " + own.run + " huggingface --out " + folder).status == 0);
  const Ran made = run("calque import " + folder + " --run " + imported);
  REQUIRE_MESSAGE(made.status == 0, made.err);
  CHECK(made.out.find("/finetune.yaml") != std::string::npos);

  const std::string prompt = " 'The dog' --max-tokens 20 --temperature 0";
  const Ran theirs = run("calque generate " + imported + prompt);
  CHECK_MESSAGE(theirs.status == 0, theirs.err);
  CHECK(theirs.out == run("calque generate " + own.run + prompt).out);

  const std::string tuned = own.file("tuned");
  const Ran trained = run("calque train " + own.file("imported/finetune.yaml") + " --run " + tuned +
                          " --quiet --set 'data.train={toy: toy-text, pairs: 20}'"
                          " --set training.until=2u");
  CHECK_MESSAGE(trained.status == 0, trained.err);
  CHECK(run("calque generate " + tuned + prompt).status == 0);

  const std::string config = own.file("imported/config.yaml");
  check_refused(run("calque train " + config + " --run " + tuned + "2"), 1, "data.train: missing");
  check_refused(run("calque import " + folder + " --run " + imported), 1,
                "already exists; choose another folder");
}

TEST_CASE("an imported classifier classifies like its run, and can be trained on") {
  const Trained& plain = trained_classifier();
  const std::string own = plain.file("post"), folder = plain.file("bert"),
                    imported = plain.file("imported");
  const Ran trained = run("calque train " + plain.file("config.yaml") + " --quiet --run " + own +
                          " --set model.norm=post --set model.positions=learned"
                          " --set model.pooling=cls");
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  REQUIRE(run("calque export " + own + " huggingface --out " + folder).status == 0);
  const Ran made = run("calque import " + folder + " --run " + imported);
  REQUIRE_MESSAGE(made.status == 0, made.err);

  const auto classify = [](const std::string& place) {
    return run("printf 'the dog sleeps\\nder Hund\\n' | calque classify " + place +
               " --probabilities --top 2");
  };
  const Ran theirs = classify(imported);
  CHECK_MESSAGE(theirs.status == 0, theirs.err);
  CHECK(lines(theirs.out) == 2);
  CHECK(theirs.out == classify(own).out);
  const Ran tuned = run("calque train " + plain.file("imported/finetune.yaml") + " --quiet --run " +
                        plain.file("tuned") +
                        " --set 'data.train={toy: toy-en-de, pairs: 20}'"
                        " --set training.until=2u");
  CHECK_MESSAGE(tuned.status == 0, tuned.err);
  const std::string again = plain.file("bert-again");
  REQUIRE(run("calque export " + imported + " huggingface --out " + again).status == 0);
  CHECK(run("diff -r " + folder + " " + again).status == 0);
}

TEST_CASE("calque import refuses in one line what is no model") {
  const Trained& own = trained();
  check_refused(run("calque import " + own.file("nowhere") + " --run " + own.file("new")), 1,
                "there is no such folder or file");
  check_refused(run("calque import " + own.run + " --run " + own.file("new")), 1,
                "neither a folder with a config.json");
  CHECK(!std::filesystem::exists(own.place / "new"));
}

}  // namespace
}  // namespace calque
