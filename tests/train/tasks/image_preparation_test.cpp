// RUN/images.txt: what it holds, older forms, and damaged ones.
#include <doctest/doctest.h>

#include "data/temporary_folder.h"
#include "support/message_of.h"
#include "train/tasks/images/preparation.h"

using namespace calque;

namespace {

ImagePreparation color_preparation() {
  return {ImageFit({4, 6, 3}), {0.1, 0.2, 1 / 3.0}, {0.5, 0.25, 1}};
}

}  // namespace

TEST_CASE("a run stores how its images are prepared") {
  const TemporaryFolder folder;
  const RunFolder run{folder.path("")};
  ImagePreparation preparation = color_preparation();
  SUBCASE("resized to the shape") {}
  SUBCASE("bicubic") { preparation.fit.interpolation = Interpolation::bicubic; }
  SUBCASE("the center of a larger image") {
    preparation.fit.height = 8;
    preparation.fit.width = 9;
  }
  save_preparation(preparation, run);
  CHECK(load_preparation(run) == preparation);
}

TEST_CASE("only a fit that is not the default has a line of its own") {
  const TemporaryFolder folder;
  const RunFolder run{folder.path("")};
  ImagePreparation preparation{ImageFit({4, 6, 1}), {0.25}, {0.5}};
  save_preparation(preparation, run);
  CHECK(folder.read("images.txt") == "size 4 6 1\nmean 0.25\ndeviation 0.5\n");
  preparation.fit.height = 8;
  preparation.fit.interpolation = Interpolation::bicubic;
  save_preparation(preparation, run);
  CHECK(folder.read("images.txt") == "size 4 6 1\nmean 0.25\ndeviation 0.5\nresize 8 6 bicubic\n");
}

TEST_CASE("a missing or damaged images.txt is refused with its path") {
  const TemporaryFolder folder;
  const RunFolder run{folder.path("")};
  const auto refusal = [&] { return message_of([&] { load_preparation(run); }); };
  CHECK(refusal().find("images.txt: is missing; ") != std::string::npos);
  const std::string start = "size 4 6 1\nmean 0.25\ndeviation 0.5\n";
  for (const std::string& text :
       {std::string(), std::string("size 4 6\n"), start.substr(0, start.size() - 3),
        start + "more\n", start + "resize 8 6\n", start + "resize 8 6 nearest\n",
        start + "resize 3 6 bilinear\n",     // below the size
        start + "resize 4 6 bilinear\n",     // the default, which has no line
        start + "resize 9000 6 bilinear\n",  // above the largest side
        std::string("size 4 6 2\nmean 0.25 0.25\ndeviation 0.5 0.5\n")}) {
    CAPTURE(text);
    folder.write("images.txt", text);
    CHECK(refusal().find("images.txt: does not hold the size") != std::string::npos);
  }
}
