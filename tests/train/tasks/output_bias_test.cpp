// The output bias of a language model: trained, but not further from model.init_from.
#include <filesystem>

#include "train/tasks/fixture.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

std::vector<real> weights(const std::string& run, const char* name) {
  const TrainedRun opened = open_run(run, make_task);
  const Parameters::Entry* entry = opened.task->parameters().find(name);
  REQUIRE(entry != nullptr);
  return {entry->values().begin(), entry->values().end()};
}

}  // namespace

TEST_CASE("the output bias of a language model stays as it is in model.init_from") {
  const TaskCase& task = *std::ranges::find(all_tasks(), "language-model", &TaskCase::name);
  const TemporaryFolder folder;
  const std::string base = folder.path("base"), tuned = folder.path("tuned");
  run_task(task, folder, {"model.output_bias=true", "training.until=10u"}, "base");
  const bool pieces = std::filesystem::exists(base + "/tokenizer.model");
  run_task(task, folder,
           {"model.output_bias=true", "model.init_from=" + base, "training.until=10u",
            "tokenizer.files=[" + base + (pieces ? "/tokenizer.model" : "/tokenizer.vocab") + "]"},
           "tuned");
  const std::vector<real> bias = weights(base, "output.bias");
  CHECK(std::ranges::any_of(bias, [](real each) { return each != 0; }));
  CHECK(weights(tuned, "output.bias") == bias);
  CHECK(weights(tuned, "embedding.weight") != weights(base, "embedding.weight"));
}

}  // namespace calque
