#include "cli/trained.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "cli/program.h"
#include "support/folders.h"
#include "support/small_configs.h"

namespace calque {
namespace {

struct TrainedTranslator : Trained {
  TrainedTranslator() {
    place = std::filesystem::temp_directory_path() / ("calque_cli." + std::to_string(getpid()));
    run = file("run");
    train_briefly(run, "");
  }
  ~TrainedTranslator() { std::filesystem::remove_all(place); }
};

struct TrainedTask : Trained {
  TrainedTask(const std::string& name, const std::string& config) {
    place = std::filesystem::temp_directory_path() /
            ("calque_cli_" + name + "." + std::to_string(getpid()));
    run = file("run");
    std::filesystem::create_directories(place);
    std::ofstream(place / "config.yaml") << config << "training: {until: 3u, batch_tokens: 128}\n";
    const CommandResult ran =
        calque::run("calque train " + file("config.yaml") + " --quiet --run " + run);
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
  }
  ~TrainedTask() { std::filesystem::remove_all(place); }
};

}  // namespace

void train_briefly(const std::string& folder, const std::string& settings) {
  const CommandResult ran =
      run("calque train '" CALQUE_SOURCE_DIR "/configs/copy.yaml' --quiet --run " + folder +
          " --set training.until=3u --set data.train='[{toy: copy, pairs: 200}]' "
          "--set training.validate_translate=none --set training.metric=loss " +
          settings);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
}

const Trained& trained() {
  static const TrainedTranslator once;
  return once;
}

const Trained& trained_language_model() {
  static const TrainedTask once("text", small_language_model);
  return once;
}

const Trained& trained_masked_lm() {
  static const TrainedTask once("masked", small_masked_lm);
  return once;
}

const Trained& trained_classifier() {
  static const TrainedTask once("classes", small_classification);
  return once;
}

const Trained& trained_tagger() {
  static const TrainedTask once("tags", small_tagging);
  return once;
}

const Trained& trained_word2vec() {
  static const TrainedTask once("words", small_word2vec);
  return once;
}

const Trained& trained_on_images() {
  static const TrainedTask once("images", small_images);
  return once;
}

}  // namespace calque
