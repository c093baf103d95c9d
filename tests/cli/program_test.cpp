// What all commands have in common: exit statuses, errors of one line, help, and standard output.
#include "cli/program.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "core/instruction_set.h"
#include "data/temporary_folder.h"
#include "support/folders.h"

namespace calque {
namespace {

const std::string toy = "'" CALQUE_SOURCE_DIR "/configs/toy.yaml'";

TEST_CASE("--version prints the version, BLAS, int8 products, threads, MPI, CPU and build") {
  const CommandResult ran = run("calque --version");
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  CHECK(ran.out.starts_with("calque 0."));
  for (const char* part : {"\nBLAS: OpenBLAS", "\nint8 products: by ",
                           "\nthreads: ", "\nMPI: ", "\nCPU: ", "\nbuilt: ", "\ninstructions: "}) {
    CHECK(ran.out.find(part) != std::string::npos);
  }
}

TEST_CASE("CALQUE_ISA takes each instruction set that this build and this processor have") {
  for (const std::string_view set : instruction_sets()) {
    if (!processor_supports(set)) continue;
    const CommandResult ran = run(fmt::format("CALQUE_ISA={} calque --version", set));
    CAPTURE(set);
    CHECK(ran.status == 0);
    CHECK(ran.out.find(fmt::format("\ninstructions: {}\n", set)) != std::string::npos);
  }
  const CommandResult unknown = run("CALQUE_ISA=avx3 calque --version");
  CHECK(unknown.status == 1);
  CHECK(unknown.err == fmt::format("calque: CALQUE_ISA=avx3: this build has only {}\n",
                                   fmt::join(instruction_sets(), ", ")));
}

TEST_CASE("the commands have help texts with examples") {
  for (const std::string command :
       {"",           "config",   "config check", "config show", "config keys", "train",
        "translate",  "evaluate", "score",        "explain",     "generate",    "classify",
        "fill",       "embed",    "neighbours",   "vectors",     "average",     "serve",
        "export",     "import",   "info",         "data",        "data check",  "data copy",
        "data clean", "plot",     "bleu",         "chrf",        "ter",         "tag",
        "compare"}) {
    CAPTURE(command);
    const CommandResult ran = run("calque " + command + " --help");
    CHECK(ran.status == 0);
    CHECK(ran.err.empty());
    const std::string program = "calque " + command.substr(0, command.find(' '));
    const size_t example = ran.out.find("Example");
    REQUIRE(example != std::string::npos);
    CHECK(ran.out.find(program, example) != std::string::npos);
  }
}

TEST_CASE("invalid values and combinations of options are refused in one line, with status 2") {
  const std::pair<std::string, std::string> wrong[] = {
      {"evaluate r --source '' --target ''", "--source: the value is empty"},
      {"translate ''", "RUN: the value is empty"},
      {"explain r --out= 'a b'", "--out: the value is empty"},
      {"evaluate --source= --target=t r", "--source: the value is empty"},
      {"evaluate r --source s", "--source requires --target"},
      {"evaluate r --target t", "--target requires --source"},
      {"evaluate r --tokenize zh", "zh not in {13a,intl,char,none}"},
      {"evaluate r --set training.seed=3", "only decoding.* can be set"},
      {"translate r --sampling top-k=3 --beam 7", "--beam excludes --sampling"},
      {"translate r --sampling top=3",
       "with a name among temperature, top-k, top-p, min-p, "
       "repetition-penalty, seed"},
      {"data copy --split nonsense", "nonsense not in {train,validation,test,compositional}"},
      {"average r", "there is only one checkpoint to average"},
      {"explain r s --svg --json", "--svg excludes --json"},
      {"config keys --markdown --about x", "--about excludes --markdown"},
      {"config keys c.yaml --markdown", "CONFIG excludes --markdown"},
      {"train c --dry-run --profile", "--dry-run excludes --profile"},
      {"translate r --length-penalty nan", "nan is not a number, 0 to 100"},
      {"bleu h -r h --seed -1", "-1 is not a whole number, 0 or more"},
      {"data copy --pairs 1e3", "1e3 is not a whole number, 1 to 1000000000"},
      {"train c --threads 99999", "99999 is not a whole number, 1 to 1024"},
      {"evaluate r --threads 0", "0 is not a whole number, 1 to 1024"},
      {"bleu h -r h --paired h --paired-test x", "x not in {bootstrap,randomization}"},
  };
  for (const auto& [which, message] : wrong) {
    const auto& command = which;
    CAPTURE(command);
    const CommandResult ran = run("calque " + command);
    CHECK(ran.status == 2);
    CHECK(count_lines(ran.err) == 1);
    CHECK_MESSAGE(ran.err.find(message) != std::string::npos, ran.err);
  }
}

TEST_CASE("a folder or a closed stream as standard input is an error") {
  const CommandResult folder = run("calque bleu - -r /dev/null < /");
  CHECK(folder.status == 1);
  CHECK(folder.err.find("standard input: cannot be read: ") != std::string::npos);
  CHECK(run("calque bleu - -r /dev/null <&-").err.find("standard input: cannot be read: ") !=
        std::string::npos);
}

TEST_CASE("output beyond the limit on the size of files is an error") {
  const CommandResult ran =
      run("(f=$(mktemp); ulimit -f 1; calque config keys > $f; s=$?; rm $f; exit $s)");
  CHECK(ran.status == 1);
  CHECK(ran.err.find("File too large") != std::string::npos);
}

TEST_CASE("calque data does not replace existing files") {
  const CommandResult ran =
      run("(d=$(mktemp -d); calque data copy --pairs 2 --out $d && echo mine > $d/train.src;"
          " calque data copy --pairs 2 --out $d; echo $?; cat $d/train.src; rm -r $d)");
  CHECK(ran.out.ends_with("\n1\nmine\n"));
  CHECK(ran.err.find("train.src: already exists") != std::string::npos);
}

TEST_CASE("an invalid command line prints one line to standard error and exits with status 2") {
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
  for (const auto& [which, message] : wrong) {
    const auto& command = which;
    CAPTURE(command);
    const CommandResult ran = run(command);
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err == message);
  }
}

TEST_CASE("control characters of a file's name are escaped in an error") {
  const CommandResult ran = run("calque config show $'no\\nsuch\\e[31mfile'");
  CHECK(ran.status == 1);
  CHECK(ran.out.empty());
  CHECK(count_lines(ran.err) == 1);
  CHECK(ran.err.starts_with("calque: no\\x0asuch\\x1b[31mfile: "));
}

TEST_CASE("a path that is a loop of symbolic links is named in the error") {
  const TemporaryFolder folder;
  const std::string loop = folder.path("loop");
  std::filesystem::create_symlink(loop, loop);
  const CommandResult ran = run("calque info '" + loop + "'");
  CHECK(ran.status == 1);
  CHECK(ran.err == "calque: " + loop + ": Too many levels of symbolic links\n");
}

TEST_CASE("standard output on a full disk is an error") {
  const CommandResult ran = run("calque config show " + toy + " > /dev/full");
  CHECK(ran.status == 1);
  CHECK(ran.err == "calque: standard output: No space left on device\n");
}

TEST_CASE(
    "a result larger than any buffer: a full disk is an error, and a closed pipe ends the "
    "program") {
  const TemporaryFolder folder;
  std::string records;
  for (int step = 1; step < 9000; ++step) {
    records += "{\"kind\":\"train\",\"step\":" + std::to_string(step) + ",\"loss\":3}\n";
  }
  const std::string plot = "calque plot '" + folder.write("metrics.jsonl", records) + "' --csv -";
  REQUIRE(run(plot).out.size() > 100'000);
  const CommandResult full = run(plot + " > /dev/full");
  CHECK(full.status == 1);
  CHECK(full.err == "calque: standard output: No space left on device\n");
  const CommandResult gone = run("trap '' PIPE; " + plot + " | true");
  CHECK(gone.status == 141);
  CHECK(gone.err.empty());
  const CommandResult device = run(plot.substr(0, plot.size() - 1) + "/dev/full");
  CHECK(device.err == "calque: /dev/full: cannot be written: No space left on device\n");
}

TEST_CASE("a warning that cannot be written does not fail the command") {
  const TemporaryFolder folder;
  const std::string metrics =
      folder.write("metrics.jsonl", "{\"kind\":\"train\",\"step\":1,\"loss\":3}\nrubbish\n");
  const std::string figure = folder.path("figure.svg");
  CHECK(run("calque plot '" + metrics + "' --svg '" + figure + "' 2> /dev/full").status == 0);
  CHECK(std::filesystem::file_size(figure) > 100);
}

TEST_CASE("a closed standard output is an error") {
  const CommandResult ran = run("calque config show " + toy + " >&-");
  CHECK(ran.status == 1);
  CHECK(count_lines(ran.err) == 1);
  CHECK(ran.err.find("standard output: ") != std::string::npos);
}

TEST_CASE("a closed pipe ends the program without a message") {
  const std::string many = "for i in 1 2 3 4 5 6 7 8 9 10; do calque config keys --markdown; done";
  CHECK(run("(" + many + ") | head -1").err.empty());
  const CommandResult ignored = run("trap '' PIPE; calque config keys --markdown | true");
  CHECK(ignored.err.empty());
  CHECK((ignored.status == 0 || ignored.status == 141));
}

#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer reserves more than the limit
TEST_CASE("too little memory is reported in one line") {
  const CommandResult ran =
      run("(ulimit -v 100000; OMP_NUM_THREADS=1 calque config check " + toy + ")");
  CHECK(ran.status == 1);
  CHECK(count_lines(ran.err) == 1);
  CHECK(ran.err.starts_with("calque: not enough memory"));
}
#endif

}  // namespace
}  // namespace calque
