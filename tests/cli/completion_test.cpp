// The completion scripts and manual pages, which are made from the command table.
#include <doctest/doctest.h>

#include "cli/program.h"

namespace calque {
namespace {

// What bash offers for the last word of a command line, one per line. The words are separated as
// bash does, at spaces and =.
std::string offered(const std::string& words) {
  const CommandResult ran =
      run("shopt -s progcomp; source <(calque completion bash); compopt() { :; }; "
          "cd $(mktemp -d) && mkdir runs 'a folder' && touch my.yaml && COMP_WORDS=(calque " +
          words +
          ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _calque && "
          "[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"");
  CHECK_MESSAGE(ran.err.empty(), ran.err);
  return ran.out;
}

bool has_shell(const std::string& name) { return run("command -v " + name).status == 0; }

TEST_CASE("bash completes commands, options, choices and config keys") {
  CHECK(offered("tra") == "train\ntranslate\n");
  CHECK(offered("config ''") == "list\ncheck\nshow\nkeys\n");
  CHECK(offered("train toy --pro") == "--profile\n");
  CHECK(offered("export runs/toy gg") == "gguf\n");
  CHECK(offered("translate runs/toy --precision = in") == "int8\n");
  CHECK(offered("train toy --set training.label_") == "training.label_smoothing=\n");
  CHECK(offered("train toy --set training.seed = 2") == "");
  CHECK(offered("train toy --threads ''") == "");
}

TEST_CASE("bash completes files, folders and the names of built-in configs") {
  CHECK(offered("train m") ==
        "mnist\nmulti30k-agree\nmulti30k-best\nmulti30k-fast\nmulti30k-rnn\n"
        "multi30k-transformer\nmulti30k\nmy.yaml\n");
  CHECK(offered("config check toy my") == "my.yaml\n");
  CHECK(offered("evaluate a") == "a folder\n");
  CHECK(offered("translate runs/toy --input my") == "my.yaml\n");
  CHECK(offered("train --threads 2 --run ru") == "runs\n");
  CHECK(offered("average runs/a runs/b a") == "a folder\n");
}

TEST_CASE("the scripts are correct for their shells") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const CommandResult script = run("calque completion " + shell);
    CHECK(script.status == 0);
    for (const std::string part : {"@TABLE@", "@FUNCTIONS@", "@LINES@", "@CONFIGS@", "@KEYS@"}) {
      CHECK(script.out.find(part) == std::string::npos);
    }
    if (has_shell(shell)) {
      const CommandResult checked =
          run("f=$(mktemp) && calque completion " + shell + " > $f && " + shell + " -n $f");
      CHECK(checked.status == 0);
      CHECK(checked.err.empty());
    }
  }
  check_refused(run("calque completion tcsh"), 2, "tcsh");
}

TEST_CASE("fish completes commands, choices and config keys") {
  if (!has_shell("fish")) return;
  const auto offers = [](const std::string& line) {
    return run("export HOME=$(mktemp -d); calque completion fish > $HOME/c; fish -c 'source "
               "$HOME/c; "
               "complete -C \"calque " +
               line + "\"' | cut -f1")
        .out;
  };
  CHECK(offers("tra") == "train\ntranslate\n");
  CHECK(offers("config sh") == "show\n");
  CHECK(offers("train toy --dr") == "--dry-run\n");
  CHECK(offers("translate runs/toy --precision i") == "int8\n");
  CHECK(offers("train toy --set training.label_") == "training.label_smoothing=\n");
}

TEST_CASE("every command has a manual page, which groff reads without a warning") {
  const CommandResult ran =
      run("d=$(mktemp -d) && calque reference $d && cd $d/man/man1 && "
          "for c in $(calque --help | sed '1,/^Subcommands/d;/^$/,$d' | awk '{print $1}'); do "
          "test -s calque-$c.1 || echo missing $c; done; "
          "command -v groff > /dev/null || exit 0; "
          "for page in *; do groff -man -ww -Tutf8 $page > /dev/null; done");
  CHECK(ran.status == 0);
  CHECK(ran.out.empty());
  CHECK_MESSAGE(ran.err.empty(), ran.err);
}

}  // namespace
}  // namespace calque
