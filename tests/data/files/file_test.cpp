#include "data/files/file.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>

#include "core/error.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"

using namespace calque;

TEST_CASE("a new file appears only when it is finished") {
  const TemporaryFolder folder;
  {
    NewFile file(folder.path("f"));
    file.append("hello ");
    file.append("world");
    file.write_at(0, "J");
    CHECK_FALSE(std::filesystem::exists(folder.path("f")));
    file.finish();
  }
  CHECK(folder.read("f") == "Jello world");
  CHECK(folder.files() == 1);
  { NewFile(folder.path("f")).append("never finished"); }
  CHECK(folder.read("f") == "Jello world");
  CHECK(folder.files() == 1);
}

TEST_CASE("the error about a file that cannot be written names the file") {
  const TemporaryFolder folder;
  const std::string nowhere = folder.path("no/such/folder"), taken = folder.path("taken");
  CHECK(message_of<Error>([&] { write_file(nowhere, "x"); }).starts_with(nowhere + ": "));
  REQUIRE(std::filesystem::create_directory(taken));
  CHECK(message_of<Error>([&] { write_file(taken, "x"); }).starts_with(taken + ": "));
  CHECK(folder.files() == 1);
}

TEST_CASE("a folder on a file system without fsync counts as synced, a missing folder does not") {
  const TemporaryFolder folder;
  CHECK(sync_names_of(folder.path("")) == 0);
  CHECK(sync_names_of(folder.path("nowhere")) == ENOENT);
  // fsync fails with EINVAL in /proc, as on some network file systems.
  CHECK(sync_names_of("/proc") == 0);
}

TEST_CASE("a file is read completely, up to a limit") {
  const TemporaryFolder folder;
  const std::string path = folder.write("f", "12345");
  CHECK(read_file(path, 5) == "12345");
  CHECK_THROWS_WITH_AS(read_file(path, 4),
                       (path + ": 5 bytes exceed the limit of 4 for this kind of file").c_str(),
                       Error);
}

TEST_CASE("a temporary file is written and read and has no name") {
  File file = File::temporary("a test");
  file.append("abc");
  file.append("def");
  char bytes[10];
  CHECK(file.size() == 6);
  CHECK(file.read_at(2, bytes) == 4);
  CHECK(std::string(bytes, 4) == "cdef");
}
