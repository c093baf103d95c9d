// Logs: lines are appended whole, and cut back to a step on resume.

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <fstream>

#include "support/simulated_files.h"
#include "train/storage/durable_files.h"
#include "train/storage/fixture.h"
#include "train/storage/line_log.h"

using namespace calque;

namespace {

std::string cut(const std::string& text, int64_t step) {
  SimulatedFiles files;
  write_text(files, "metrics.jsonl", text);
  cut_back(files, "metrics.jsonl", step);
  return files.contents("metrics.jsonl");
}

}  // namespace

TEST_CASE("lines are appended in order") {
  const ScratchFolder run;
  const std::string path = run.path() + "/train.log";
  for (const char* line : {"first", "", "third"}) {
    LineLog log(real_files(), path);
    CHECK(!log.append(line));
    CHECK(!log.sync());
  }
  CHECK(read_text(real_files(), path, 1000) == "first\n\nthird\n");
}

TEST_CASE("a line torn by a crash is ended before the next begins") {
  SimulatedFiles files;
  write_text(files, "train.log", "whole\nto");
  {
    LineLog log(files, "train.log");
    log.append("next");
  }
  CHECK(files.contents("train.log") == "whole\nto\nnext\n");
}

TEST_CASE("a closed log opens again for a later line") {
  SimulatedFiles files;
  LineLog log(files, "train.log");
  log.append("first");
  CHECK(!log.close());
  CHECK(files.open_files() == 0);
  CHECK(!log.close());
  CHECK(!log.append("second"));
  CHECK(!log.close());
  CHECK(files.contents("train.log") == "first\nsecond\n");
  CHECK(files.open_files() == 0);
}

TEST_CASE("cutting back removes later steps and a torn line, and changes no byte of the others") {
  const std::string kept =
      "{\"step\":1}\n{ \"step\" : 2 }\r\n{\"kind\":\"event\"}\nno JSON\n\n{\"step\":\"9\"}\n";
  CHECK(cut(kept, 2) == kept);
  CHECK(cut(kept + "{\"step\":3}\n{\"step\":2,\"late\":true}\n{\"step\":1", 2) ==
        kept + "{\"step\":2,\"late\":true}\n");
  CHECK(cut("{\"step\":3}\n", 2) == "");
  CHECK(cut("", 2) == "");
  CHECK(cut("{\"step\":0}", 0) == "");
  CHECK(cut("{\"step\":1e400}\n{\"step\":99999999999999999999}\n", 2) ==
        "{\"step\":1e400}\n{\"step\":99999999999999999999}\n");
}

TEST_CASE(
    "cutting back removes the validation of the resumed step only if the run will repeat it") {
  const std::string before = "{\"kind\":\"valid\",\"step\":1}\n{\"kind\":\"train\",\"step\":2}\n";
  const std::string owed = "{\"kind\":\"valid\",\"step\":2}\n{\"kind\":\"finding\",\"step\":2}\n";
  SimulatedFiles files;
  write_text(files, "metrics.jsonl", before + owed);
  cut_back(files, "metrics.jsonl", 2);
  CHECK(files.contents("metrics.jsonl") == before + owed);
  cut_back(files, "metrics.jsonl", 2, true);
  CHECK(files.contents("metrics.jsonl") == before);
}

TEST_CASE("cutting back a missing log does not create one") {
  SimulatedFiles files;
  cut_back(files, "metrics.jsonl", 1);
  CHECK(!exists(files, "metrics.jsonl"));
}

TEST_CASE("a crash while a log is cut back leaves the old text or the new") {
  SimulatedFiles files;
  const std::string text = "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n";
  write_text(files, "metrics.jsonl", text);
  files.start_recording();
  cut_back(files, "metrics.jsonl", 2);
  files.for_each_crash([&](SimulatedFiles& after) {
    const std::string found = after.contents("metrics.jsonl");
    CHECK((found == text || found == text.substr(0, 22)));  // two lines
  });
}

TEST_CASE("a write beyond the file-size limit is an error, and does not end the process") {
  const ScratchFolder run;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  LineLog log(real_files(), run.path() + "/metrics.jsonl");
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::optional<std::string> append_error, failure;
  for (int line = 0; line < 20; ++line) {
    if (auto now = log.append(std::string(99, 'a'))) append_error = now;
  }
  try {
    save_step(real_files(), run.path(), 1);
    write_text(real_files(), run.path() + "/large", std::string(2000, 'b'));
  } catch (const FileError& error) {
    failure = error.what();
  }
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  REQUIRE(append_error);
  CHECK(append_error->find("File too large; raise the limit") != std::string::npos);
  REQUIRE(failure);
  CHECK(failure->find("File too large") != std::string::npos);
  CHECK(!log.sync());
  CHECK(read_text(real_files(), run.path() + "/metrics.jsonl", 1 << 20).size() == 2000);
}
