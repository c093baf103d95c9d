#include "cli/trained.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "cli/program.h"
#include "support/small_configs.h"

namespace calque {
namespace {

struct Once : Trained {
  Once() {
    place = std::filesystem::temp_directory_path() / ("calque_cli." + std::to_string(getpid()));
    run = file("run");
    train_briefly(run, "");
  }
  ~Once() { std::filesystem::remove_all(place); }
};

struct LanguageModelOnce : Trained {
  LanguageModelOnce() {
    place =
        std::filesystem::temp_directory_path() / ("calque_cli_text." + std::to_string(getpid()));
    run = file("run");
    std::filesystem::create_directories(place);
    std::ofstream(place / "config.yaml")
        << small_language_model << "training: {until: 3u, batch_tokens: 128}\n";
    const Ran ran = calque::run("calque train " + file("config.yaml") + " --quiet --run " + run);
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
  }
  ~LanguageModelOnce() { std::filesystem::remove_all(place); }
};

}  // namespace

void train_briefly(const std::string& folder, const std::string& settings) {
  const Ran ran =
      run("calque train '" CALQUE_SOURCE_DIR "/configs/copy.yaml' --quiet --run " + folder +
          " --set training.until=3u --set data.train='[{toy: copy, pairs: 200}]' "
          "--set training.validate_translate=none --set training.metric=loss " +
          settings);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
}

const Trained& trained() {
  static const Once once;
  return once;
}

const Trained& trained_language_model() {
  static const LanguageModelOnce once;
  return once;
}

}  // namespace calque
