#include "cli/trained.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "cli/program.h"

namespace calque {
namespace {

struct Once : Trained {
  Once() {
    place = std::filesystem::temp_directory_path() / ("calque_cli." + std::to_string(getpid()));
    run = file("run");
    const Ran ran =
        calque::run("calque train '" CALQUE_SOURCE_DIR "/configs/copy.yaml' --quiet --run " + run +
                    " --set training.until=3u --set data.train='[{toy: copy, pairs: 200}]' "
                    "--set training.validate_translate=none --set training.metric=loss");
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
  }
  ~Once() { std::filesystem::remove_all(place); }
};

}  // namespace

const Trained& trained() {
  static const Once once;
  return once;
}

}  // namespace calque
