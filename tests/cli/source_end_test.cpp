// The commands with model.source_end: false.
#include <doctest/doctest.h>

#include "cli/program.h"
#include "cli/trained.h"
#include "support/folders.h"

namespace calque {
namespace {

TEST_CASE("a model whose sources have no </s> trains, resumes, translates, scores and explains") {
  const std::string at = trained().file("endless"), whole = trained().file("endless_whole");
  const std::string settings = "--threads 1 --set model.source_end=false ";
  train_briefly(at, settings);
  train_briefly(at, settings + "--set training.until=6u");  // resumes
  train_briefly(whole, settings + "--set training.until=6u");
  const auto scored = [](const std::string& run_folder) {
    const std::string source = trained().file("source"), target = trained().file("target");
    return run("printf 'a b c\\n\\n' > " + source + "; printf 'c b\\nd\\n' > " + target +
               "; calque score " + run_folder + "/last --source " + source + " --target " + target);
  };
  const CommandResult resumed = scored(at);
  CHECK(resumed.status == 0);
  CHECK(count_lines(resumed.out) == 2);
  CHECK(resumed.out == scored(whole).out);
  const CommandResult translated =
      run("printf 'a b\\n\\n' | calque translate " + at + " --alignment");
  CHECK(translated.status == 0);
  CHECK(count_lines(translated.out) == 2);
  const CommandResult explained = run("calque explain " + at + " 'a b' --json");
  CHECK(explained.status == 0);
  CHECK(explained.out.find("\"text\":\"b\"}],\n\"target_tokens\"") != std::string::npos);
  const CommandResult changed =
      run("calque train '" CALQUE_SOURCE_DIR "/configs/copy.yaml' --quiet --run " + at +
          " --set data.train='[{toy: copy, pairs: 200}]'");
  CHECK(changed.status == 1);
  CHECK_MESSAGE(changed.err.find("model.source_end") != std::string::npos, changed.err);
}

}  // namespace
}  // namespace calque
