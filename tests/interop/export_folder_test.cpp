// An export creates its folder as a whole or not at all.
#include "interop/export_folder.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"

namespace calque {
namespace {

TEST_CASE("an export without finish() leaves no files") {
  const TemporaryFolder folder;
  {
    const ExportFolder unfinished(folder.path("out"));
    unfinished.write("a", "text");
    CHECK(!std::filesystem::exists(folder.path("out")));
  }
  CHECK(folder.files() == 0);
}

TEST_CASE("an export replaces the OUT.tmp of a killed export, but refuses an existing OUT") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("out.tmp"));
  folder.write("out.tmp/rest", "of a killed export");
  {
    ExportFolder out(folder.path("out/"));
    out.write("a", "text");
    out.finish();
  }
  CHECK(folder.read("out/a") == "text");
  CHECK(folder.files() == 2);
  CHECK(message_of<Error>([&] {
          ExportFolder(folder.path("out"));
        }).ends_with("/out: already exists; choose another folder"));
}

TEST_CASE("tensors that are read back with other bits, shapes or names are refused") {
  const TensorList written = {{"w", Tensor::of({2}, {1, 2})}};
  CHECK_NOTHROW(require_same(written, {{"w", Tensor::of({2}, {1, 2})}}, "f"));
  CHECK_THROWS_AS(require_same(written, {{"w", Tensor::of({2}, {1, 3})}}, "f"), Error);
  CHECK_THROWS_AS(require_same(written, {{"v", Tensor::of({2}, {1, 2})}}, "f"), Error);
  CHECK_THROWS_AS(require_same(written, {{"w", Tensor::of({1, 2}, {1, 2})}}, "f"), Error);
  CHECK_THROWS_AS(require_same(written, {}, "f"), Error);
}

}  // namespace
}  // namespace calque
