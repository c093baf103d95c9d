// What holds for every command: statuses, one line for an error, help, and standard output.
#include "cli/program.h"

#include <doctest/doctest.h>

namespace calque {
namespace {

const std::string toy = "'" CALQUE_SOURCE_DIR "/configs/toy.yaml'";

TEST_CASE("--version tells the version, BLAS, threads and CPU") {
  const Ran ran = run("calque --version");
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out.starts_with("calque 0."));
  for (const char* part : {"\nBLAS: OpenBLAS", "\nthreads: ", "\nCPU: ", "\nbuilt: "}) {
    CHECK(ran.out.find(part) != std::string::npos);
  }
}

TEST_CASE("every command has a help text with an example") {
  for (const std::string command : {"", "config", "config check", "config show", "config keys"}) {
    CAPTURE(command);
    const Ran ran = run("calque " + command + " --help");
    CHECK(ran.status == 0);
    CHECK(ran.err.empty());
    CHECK(ran.out.find("Example: calque ") != std::string::npos);
  }
}

TEST_CASE("a wrong command line is one line on stderr and status 2, and runs nothing") {
  const std::pair<std::string, std::string> wrong[] = {
      {"calque", "calque: A subcommand is required; see 'calque --help'\n"},
      {"calque confg", "calque: unknown command confg; nearest is config; see 'calque --help'\n"},
      {"calque --versoin",
       "calque: unknown option --versoin; nearest is --version; see 'calque --help'\n"},
      {"calque config", "calque config: A subcommand is required; see 'calque config --help'\n"},
      {"calque config chek",
       "calque config: unknown command chek; nearest is check; see 'calque config --help'\n"},
      {"calque config check",
       "calque config check: CONFIG is required; see 'calque config check --help'\n"},
      {"calque config show " + toy + " --coments",
       "calque config show: unknown option --coments; nearest is --comments; see 'calque config "
       "show "
       "--help'\n"},
      {"calque config show " + toy + " --stet=1",
       "calque config show: unknown option --stet; nearest is --set; see 'calque config show "
       "--help'\n"},
      {"calque config show " + toy + " more",
       "calque config show: unknown argument more; see 'calque config show --help'\n"},
  };
  for (const auto& [command, message] : wrong) {
    CAPTURE(command);
    const Ran ran = run(command);
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err == message);
  }
}

TEST_CASE("an error stays on one line, whatever the name of a file holds") {
  const Ran ran = run("calque config show $'no\\nsuch\\e[31mfile'");
  CHECK(ran.status == 1);
  CHECK(ran.out.empty());
  CHECK(lines(ran.err) == 1);
  CHECK(ran.err.starts_with("calque: no\\x0asuch\\x1b[31mfile: "));
}

TEST_CASE("a full disk under standard output is an error") {
  const Ran ran = run("calque config show " + toy + " > /dev/full");
  CHECK(ran.status == 1);
  CHECK(ran.err == "calque: standard output: No space left on device\n");
}

TEST_CASE("a closed standard output is an error") {
  const Ran ran = run("calque config show " + toy + " >&-");
  CHECK(ran.status == 1);
  CHECK(lines(ran.err) == 1);
}

TEST_CASE("a reader that goes away ends the program without a word") {
  const std::string many = "for i in 1 2 3 4 5 6 7 8 9 10; do calque config keys --markdown; done";
  CHECK(run("(" + many + ") | head -1").err.empty());
  const Ran ignored = run("trap '' PIPE; calque config keys --markdown | true");
  CHECK(ignored.err.empty());
  CHECK((ignored.status == 0 || ignored.status == 141));
}

TEST_CASE("too little memory is told in one line") {
  const Ran ran = run("(ulimit -v 200000; OMP_NUM_THREADS=1 calque config check " + toy + ")");
  CHECK((ran.status == 0 || lines(ran.err) >= 1));
}

}  // namespace
}  // namespace calque
