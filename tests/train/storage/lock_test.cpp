// One process at a time trains in a run folder, and the lock ends with its process.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/message_of.h"
#include "train/storage/fixture.h"
#include "train/storage/run_lock.h"

using namespace calque;

namespace {

std::string refusal(const std::string& run) {
  return message_of([&] { const RunLock lock(run); });
}

// A child process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& run) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    child_ = ::fork();
    if (child_ == 0) {
      const RunLock lock(run);
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { kill(); }
  pid_t child() const { return child_; }
  void kill() {
    if (child_ < 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  pid_t child_;
};

}  // namespace

TEST_CASE("a process is refused with the process id of the holder, and kill -9 releases the lock") {
  const ScratchFolder run;
  Holder holder(run.path());
  const std::string message = refusal(run.path());
  CHECK(message.starts_with(run.path() + ": process " + std::to_string(holder.child()) + " on "));
  CHECK(message.find("--run") != message.npos);
  holder.kill();
  CHECK(refusal(run.path()) == "");
}

TEST_CASE("programs that the holder starts do not inherit the lock") {
  const ScratchFolder run;
  {
    const RunLock lock(run.path());
    REQUIRE(std::system("sleep 5 >/dev/null 2>&1 &") == 0);
  }
  CHECK(refusal(run.path()) == "");
}

TEST_CASE("the contents of the lock file from an earlier holder are ignored") {
  const ScratchFolder run;
  std::ofstream(run.path() + "/lock") << std::string(10000, 'x');
  CHECK(refusal(run.path()) == "");
  const RunLock lock(run.path());
  CHECK(refusal(run.path()).find("process " + std::to_string(::getpid())) != std::string::npos);
}

TEST_CASE("the error about a missing folder, or a lock that is not a file, names it") {
  const ScratchFolder run;
  CHECK(refusal(run.path() + "/gone")
            .starts_with(run.path() + "/gone/lock: cannot open: No such file"));
  std::filesystem::create_directory(run.path() + "/lock");
  CHECK(refusal(run.path()).starts_with(run.path() + "/lock: cannot open: Is a directory"));
}
