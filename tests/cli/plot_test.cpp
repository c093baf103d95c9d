// calque plot: what it writes, where, and what it refuses.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "cli/program.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

class RunFolder {
 public:
  RunFolder() {
    std::string pattern = (fs::temp_directory_path() / "calque-plot-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
    std::ofstream(path / "metrics.jsonl") << "{\"kind\":\"train\",\"step\":1,\"loss\":3}\n"
                                          << "{\"kind\":\"train\",\"step\":2,\"loss\":2}\n";
  }
  ~RunFolder() { fs::remove_all(path); }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::string at(const std::string& file) const { return "'" + (path / file).string() + "'"; }

  fs::path path;
};

TEST_CASE("plot writes the report of a run to its folder, and prints the path") {
  const RunFolder run;
  const CommandResult ran = calque::run("calque plot " + run.at(""));
  CHECK(ran.status == 0);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("report.html\n") != std::string::npos);
  CHECK(fs::file_size(run.path / "report.html") > 10'000);
}

TEST_CASE("plot writes only the requested outputs, to standard output if requested") {
  const RunFolder run;
  const CommandResult table = calque::run("calque plot " + run.at("") + " --csv -");
  CHECK(table.status == 0);
  CHECK(table.out.starts_with("run,kind,step,epoch,tokens,seconds,loss\r\n"));
  CHECK_FALSE(fs::exists(run.path / "report.html"));
  CHECK(calque::run("LC_ALL=C calque plot " + run.at("") + " --terminal").out.find("Loss") !=
        std::string::npos);
  CHECK(calque::run("calque plot " + run.at("") + " --csv - > /dev/full").status == 1);
}

TEST_CASE("--metric takes one word, so that a run may follow it") {
  const RunFolder run;
  const CommandResult ran =
      calque::run("LC_ALL=C calque plot --terminal --metric loss " + run.at(""));
  CHECK(ran.status == 0);
  CHECK(ran.out.find("Loss") != std::string::npos);
}

TEST_CASE("plot writes into a named pipe and does not replace it") {
  const RunFolder run;
  const fs::path pipe = run.path / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  REQUIRE(reader >= 0);
  CHECK(calque::run("calque plot " + run.at("") + " --svg " + run.at("pipe")).status == 0);
  std::array<char, 4> start{};
  CHECK(read(reader, start.data(), start.size()) == 4);
  CHECK(std::string(start.data(), start.size()) == "<svg");
  close(reader);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("plot replaces the target of a symlink, not the symlink") {
  const RunFolder run;
  std::ofstream(run.path / "figure.svg") << "old";
  fs::create_symlink("figure.svg", run.path / "link.svg");
  CHECK(calque::run("calque plot " + run.at("") + " --svg " + run.at("link.svg")).status == 0);
  CHECK(fs::is_symlink(run.path / "link.svg"));
  CHECK(fs::file_size(run.path / "figure.svg") > 100);
}

TEST_CASE("plot reports an invalid request in one line on stderr") {
  const RunFolder run;
  for (const auto& [given, status] : {std::pair{run.at("none"), 1},
                                      {run.at("") + " --metric blue --terminal", 1},
                                      {run.at("") + " --over moon", 2},
                                      {run.at("") + " --smooth 2", 2},
                                      {run.at("") + " --smooth 0.5", 2},
                                      {run.at("") + " --log --csv -", 2},
                                      {run.at("") + " --over time", 2},
                                      {run.at("") + " --metric loss", 2},
                                      {run.at("") + " --svg /nowhere/x.svg", 1},
                                      {std::string(), 2}}) {
    const auto& arguments = given;
    CAPTURE(arguments);
    const CommandResult ran = calque::run("calque plot " + arguments);
    CHECK(ran.status == status);
    CHECK(ran.err.starts_with("calque"));
    CHECK(count_lines(ran.err) == 1);
    CHECK(ran.out.empty());
  }
}

}  // namespace
}  // namespace calque
