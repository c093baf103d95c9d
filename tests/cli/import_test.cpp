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
