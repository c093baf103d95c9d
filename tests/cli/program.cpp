// Output goes to files: with two pipes, one could fill up while the other is read.
#include "cli/program.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"

namespace calque {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

CommandResult run(const std::string& command) {
  std::string folder = (std::filesystem::temp_directory_path() / "calque-run-XXXXXX").string();
  require(mkdtemp(folder.data()) != nullptr, "run: cannot create the temporary folder {}", folder);
  const std::filesystem::path path = folder;
  std::ofstream(path / "script") << "set -o pipefail\ncalque() { " CALQUE_PROGRAM " \"$@\"; }\n"
                                 << command << "\n";
  const std::string shell = "bash " + folder + "/script > " + folder + "/out 2> " + folder + "/err";
  const int status = std::system(shell.c_str());
  CommandResult ran;
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = text_of(path / "out");
  ran.err = text_of(path / "err");
  std::filesystem::remove_all(path);
  return ran;
}

int count_lines(const std::string& text) {
  require(text.empty() || text.back() == '\n',
          "count_lines: the text does not end with a line break");
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void check_refused(const CommandResult& ran, int status, const std::string& part) {
  CAPTURE(part);
  CHECK(ran.status == status);
  CHECK_MESSAGE(ran.err.starts_with(status == 2 ? "calque " : "calque: "), ran.err);
  CHECK_MESSAGE(ran.err.find(part) != std::string::npos, ran.err);
  CHECK(count_lines(ran.err) == 1);
}

void check_scores(const std::string& text, const std::vector<int64_t>& tokens) {
  CHECK(count_lines(text) == std::ssize(tokens));
  std::istringstream all(text);
  for (const int64_t expected : tokens) {
    double total = 0, per_token = 0;
    int64_t count = 0;
    all >> total >> per_token >> count;
    REQUIRE(!all.fail());
    CHECK(count == expected);
    CHECK(total < 0);
    // The numbers are printed with four decimals.
    CHECK(per_token == doctest::Approx(total / static_cast<double>(count)).epsilon(1e-3));
  }
}

}  // namespace calque
