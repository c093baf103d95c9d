// Makes each system call of storage fail in turn, with several errors.

#include <doctest/doctest.h>

#include <system_error>

#include "support/simulated_files.h"
#include "train/storage/fixture.h"
#include "train/storage/line_log.h"

using namespace calque;

namespace {

std::string words_for(int code) { return std::generic_category().message(code); }

void check_message(const std::string& message, int code) {
  CAPTURE(message);
  CHECK(message.starts_with("run"));
  CHECK(message.find(words_for(code)) != message.npos);
  CHECK(message.find('\n') == message.npos);
}

// A run with a checkpoint of step 100 and, if `again`, one of step 200.
SimulatedFiles run_so_far(bool again) {
  SimulatedFiles files;
  make_folder(files, "run");
  save_step(files, "run", 100);
  if (again) save_step(files, "run", 200);
  return files;
}

// The number of calls in a save of step 200 that make the save fail if they fail with this code.
int failing_calls(int code) {
  int failing = 0;
  for (int64_t call = 0;; ++call) {
    SimulatedFiles disk = run_so_far(false);
    FaultyFiles files(disk);
    files.fail(call, code);
    int64_t found = 200;
    try {
      save_step(files, "run", 200);
    } catch (const Error& error) {
      check_message(error.what(), code);
      found = 100;
      ++failing;
    }
    CHECK(load_step(disk, "run") >= found);
    if (call >= files.calls()) break;
  }
  return failing;
}

}  // namespace

TEST_CASE(
    "whichever call of a save fails, an earlier checkpoint stays undamaged and the message is "
    "clear") {
  for (const bool again : {false, true}) {
    for (const int code : {ENOSPC, EIO, EDQUOT, EROFS}) {
      for (const auto fault : {FaultyFiles::Fault::once, FaultyFiles::Fault::from_then_on}) {
        int64_t failed = 0;
        for (int64_t call = 0;; ++call) {
          SimulatedFiles disk = run_so_far(again);
          FaultyFiles files(disk);
          files.fail(call, code, fault);
          bool succeeded = false;
          try {
            save_step(files, "run", 200);
            succeeded = true;
          } catch (const Error& error) {
            check_message(error.what(), code);
            ++failed;
          }
          CHECK(disk.open_files() == 0);
          const int64_t found = load_step(disk, "run");
          CHECK((found == 200 || (!again && found == 100)));
          // When the disk works again, the next save succeeds despite the remains of this one.
          save_step(disk, "run", 200);
          CHECK(load_step(disk, "run") == 200);
          if (succeeded) CHECK(found == 200);
          if (call >= files.calls()) break;
        }
        CHECK(failed > 25);
      }
    }
  }
}

TEST_CASE("an interrupted sync fails a save, and no other interrupted call does") {
  const SimulatedFiles before = run_so_far(false);
  int failed = 0;
  for (int64_t call = 0;; ++call) {
    SimulatedFiles disk = before;
    FaultyFiles files(disk);
    files.fail(call, EINTR);
    try {
      save_step(files, "run", 200);
      CHECK(load_step(disk, "run") == 200);
    } catch (const Error& error) {
      check_message(error.what(), EINTR);
      CHECK(std::string(error.what()).find("sync") != std::string::npos);
      CHECK(load_step(disk, "run") >= 100);
      ++failed;
    }
    if (call >= files.calls()) break;
  }
  CHECK(failed == 7);  // three files, the run, the checkpoints twice, the new folder
}

TEST_CASE("short writes are continued") {
  SimulatedFiles disk = run_so_far(false);
  FaultyFiles files(disk);
  files.fail(0, 0, FaultyFiles::Fault::short_write);
  save_step(files, "run", 200);
  CHECK(load_step(disk, "run") == 200);
}

TEST_CASE("file systems without allocation are written to as well") {
  for (const int code : {EOPNOTSUPP, ENOSYS, EINVAL}) {
    // Allocating the space of the three files may fail with this code, but not with EIO.
    CHECK(failing_calls(EIO) - failing_calls(code) == 3);
  }
}

TEST_CASE("whichever call of a load fails, the result is a whole checkpoint or a clear message") {
  for (const int code : {EIO, ENOSPC, EACCES, EMFILE, EINTR}) {
    int64_t newest = 0, older = 0, failed = 0;
    for (int64_t call = 0;; ++call) {
      SimulatedFiles disk = run_so_far(true);
      FaultyFiles files(disk);
      files.fail(call, code);
      try {
        std::vector<DamagedCheckpoint> damaged;
        const int64_t step = load_step(files, "run", damaged);
        ++(step == 200 ? newest : older);
        CHECK(damaged.size() == (step == 100 ? 1 : 0));
        for (const DamagedCheckpoint& one : damaged) check_message(one.problem, code);
      } catch (const Error& error) {
        check_message(error.what(), code);
        ++failed;
      }
      CHECK(disk.open_files() == 0);
      if (call >= files.calls()) break;
    }
    // A failing disk damages one checkpoint; missing permissions would affect every checkpoint.
    CHECK((code == EIO) == (older > 0));
    CHECK((code == EINTR) == (failed == 0));
    CHECK(newest > 0);
  }
}

TEST_CASE("a cleanup that fails at any call removes no checkpoint that is to be kept") {
  for (const int code : {EIO, EACCES}) {
    for (int64_t call = 0;; ++call) {
      SimulatedFiles disk = run_so_far(true);
      FaultyFiles files(disk);
      files.fail(call, code, FaultyFiles::Fault::from_then_on);
      try {
        Checkpoints checkpoints(files, "run");
        checkpoints.remove_leftovers();
        checkpoints.link("best", 100);
        checkpoints.prune(200, 1, {});
      } catch (const Error& error) {
        check_message(error.what(), code);
      }
      CHECK(load_step(disk, "run") == 200);
      if (call >= files.calls()) break;
    }
  }
}

TEST_CASE("a log reports a full disk once, and writes all lines when there is space again") {
  for (int64_t call = 0; call < 12; ++call) {
    SimulatedFiles disk;
    make_folder(disk, "run");
    FaultyFiles files(disk);
    std::string expected;
    {
      files.fail(call, ENOSPC, FaultyFiles::Fault::from_then_on);
      LineLog log(files, "run/metrics.jsonl");  // the first append() reports a failure
      int complaints = 0;
      for (int line = 0; line < 20; ++line) {
        const std::string text = "line " + std::to_string(line);
        expected += text + "\n";
        if (const auto problem = log.append(text)) {
          check_message(*problem, ENOSPC);
          ++complaints;
        }
      }
      CHECK(complaints == 1);
      files.fail(-1, 0);
      CHECK(!log.sync());
      CHECK(log.lines_missing() == 0);
    }
    CHECK(disk.contents("run/metrics.jsonl") == expected);
    CHECK(disk.open_files() == 0);
  }
}

TEST_CASE("closing a log reports a failure of close") {
  SimulatedFiles disk;
  make_folder(disk, "run");
  FaultyFiles files(disk);
  LineLog log(files, "run/metrics.jsonl");
  CHECK(!log.append("line"));
  const int64_t calls = files.calls();
  CHECK(!log.close());
  REQUIRE(files.calls() == calls + 1);
  CHECK(!log.append("line"));
  files.fail(0, EIO);
  const auto problem = log.close();
  REQUIRE(problem);
  check_message(*problem, EIO);
  CHECK(disk.open_files() == 0);
}

TEST_CASE("closing a log reports the number of lost lines, however long it has been failing") {
  SimulatedFiles disk;
  make_folder(disk, "run");
  write_text(disk, "run/metrics.jsonl", "torn");
  FaultyFiles files(disk);
  LineLog log(files, "run/metrics.jsonl");
  files.fail(0, ENOSPC, FaultyFiles::Fault::from_then_on);
  CHECK(log.append("first"));
  CHECK(!log.append(""));
  CHECK(!log.append("third"));
  const auto problem = log.close();
  REQUIRE(problem);
  CHECK(problem->find("run/metrics.jsonl: cannot write: No space left") == 0);
  CHECK(problem->ends_with("; lines lost: 3"));
  files.fail(-1, 0);
  CHECK(!log.append("fourth"));  // also writes the lines that were waiting
  CHECK(!log.close());
  CHECK(disk.contents("run/metrics.jsonl").ends_with("first\n\nthird\nfourth\n"));
}

TEST_CASE(
    "lines dropped from a full queue are reported at the end, though the others were written") {
  SimulatedFiles disk;
  make_folder(disk, "run");
  FaultyFiles files(disk);
  LineLog log(files, "run/metrics.jsonl");
  files.fail(0, ENOSPC, FaultyFiles::Fault::from_then_on);
  for (int line = 0; line < 10; ++line) log.append(std::string(1 << 20, 'a'));
  files.fail(-1, 0);
  const auto problem = log.close();
  REQUIRE(problem);
  CHECK(*problem == "run/metrics.jsonl: too many lines waited to be written; lines lost: 3");
}

TEST_CASE("a log that cannot be opened reports it with its first line, and opens when it can") {
  SimulatedFiles disk;
  make_folder(disk, "run");
  FaultyFiles files(disk);
  files.fail(0, EIO);
  LineLog log(files, "run/train.log");
  CHECK(!exists(disk, "run/train.log"));
  const auto problem = log.append("first");
  REQUIRE(problem);
  check_message(*problem, EIO);
  CHECK(!log.append("second"));
  CHECK(disk.contents("run/train.log") == "first\nsecond\n");
}
