// The commands calque config list, check, show and keys.
#include <doctest/doctest.h>

#include "cli/program.h"
#include "support/folders.h"

namespace calque {
namespace {

const std::string folder = CALQUE_SOURCE_DIR "/configs/";
const std::string toy = "'" + folder + "toy.yaml'";

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("config check reports that a valid config is valid") {
  const CommandResult ran = run("calque config check " + toy);
  CHECK(ran.status == 0);
  CHECK(ran.out == folder + "toy.yaml: valid\n");
  CHECK(ran.err.empty());
}

TEST_CASE("config list names built-in configs, which need no file") {
  const CommandResult list = run("calque config list");
  CHECK(list.status == 0);
  CHECK(mentions(list.out, "\ntoy  "));
  const std::string inside = "cd $(mktemp -d) && ";
  CHECK(run(inside + "calque config check toy copy").out == "toy: valid\ncopy: valid\n");
  CHECK(run(inside + "calque config show toy").out == run("calque config show " + toy).out);
  CHECK(run(inside + "calque config show toy --verbatim | cmp - " + toy).status == 0);
  CHECK(run(inside + "calque data check copy").out.starts_with("train: 50000 lines"));
  check_refused(run(inside + "calque train tyo"), 1,
                "tyo: no such file, and no built-in config of this name; similar names: toy");
  check_refused(run(inside + "calque train multi30k"), 1, "corpora/multi30k/");
}

TEST_CASE("config check lists every problem, one per line, and fails") {
  const CommandResult ran =
      run("calque config check " + toy + " --set model.heads=0 --set model.d_modle=1");
  CHECK(ran.status == 1);
  CHECK(ran.out.empty());
  CHECK(count_lines(ran.err) == 2);
  CHECK(mentions(ran.err, "calque: --set model.heads=0: model.heads: must be"));
  CHECK(mentions(ran.err, "nearest is model.d_model"));
}

TEST_CASE("config check checks all given files") {
  const CommandResult ran = run("calque config check " + toy + " nowhere.yaml " + toy);
  CHECK(ran.status == 1);
  CHECK(count_lines(ran.out) == 2);
  CHECK(count_lines(ran.err) == 1);
}

TEST_CASE("config check names missing files, and fails with --strict or if all data are missing") {
  const std::string check =
      "cd $(mktemp -d) && echo a > t.en && echo b > t.de && "
      "calque config check " +
      toy +
      " --set 'tokenizer.files=[x.model]' --set training.metric=loss --set "
      "training.validate_translate=none ";
  const std::string some =
      "--set 'data.train=[{source: t.en, target: none.de}]' "
      "--set 'data.validation=[]' --set 'data.test=[]' ";
  const std::string notes = folder + "toy.yaml: data.train: none.de: no such file\n";
  const CommandResult ran = run(check + some);
  CHECK(ran.status == 0);
  CHECK(ran.out.ends_with("toy.yaml: valid\n"));
  CHECK(ran.err == "calque: note: " + notes + "calque: note: " + folder +
                       "toy.yaml: tokenizer.files: x.model: no such file\n");
  const CommandResult strict = run(check + some + "--strict");
  CHECK(strict.status == 1);
  CHECK(strict.out.empty());
  CHECK(strict.err.starts_with("calque: " + notes));
  const CommandResult none = run(check +
                                 "--set data.languages='[en, de]' --set 'data.train=corpora/none' "
                                 "--set 'data.validation=[]' --set 'data.test=[]'");
  CHECK(none.status == 1);
  CHECK(none.out.empty());
  CHECK(count_lines(none.err) == 3);
  CHECK(mentions(none.err, "data.train: corpora/none.en: no such file"));
}

TEST_CASE("config show prints a config that config show prints unchanged") {
  const CommandResult once =
      run("calque config show " + toy + " --set training.until=20e --set model.preset=tiny");
  CHECK(once.status == 0);
  CHECK(mentions(once.out, "\n  until: 20e\n"));
  CHECK(mentions(once.out, "\n  d_model: 128\n"));
  const CommandResult twice =
      run("file=$(mktemp) && calque config show " + toy +
          " --set training.until=20e --set model.preset=tiny --comments > $file && "
          "calque config show $file; rm -f $file");
  CHECK(twice.status == 0);
  CHECK(twice.out == once.out);
}

TEST_CASE("config keys lists every key, or the keys that match a word or another toolkit's name") {
  const CommandResult all = run("calque config keys");
  CHECK(all.status == 0);
  CHECK(mentions(all.out, "model.d_model: a whole number, 1 to 65536 (default 512)"));
  const CommandResult some = run("calque config keys --about learn-rate");
  CHECK(mentions(some.out, "training.learning_rate: "));
  CHECK(count_lines(some.out) < count_lines(all.out) / 4);
  const CommandResult ema = run("calque config keys --about ema");
  CHECK(mentions(ema.out, "training.ema: "));
  CHECK_FALSE(mentions(ema.out, "The maximum number of sentences"));  // "the ma", but no "ema"
  const CommandResult without = run("calque config keys --set training.seed=9");
  CHECK(without.status != 0);
  CHECK(mentions(without.err, "--set requires CONFIG"));
}

TEST_CASE("config keys with a config says where each value comes from") {
  const CommandResult ran =
      run("cd '" + folder + "' && calque config keys toy.yaml --set training.seed=9");
  CHECK(ran.status == 0);
  CHECK(mentions(ran.out, "model.d_model = 128   (toy.yaml:"));
  CHECK(mentions(ran.out, "training.seed = 9   (--set training.seed=9)"));
  CHECK(mentions(ran.out, "model.tied = all   (default)"));
  CHECK(mentions(ran.out, "training.factor = 1   (not used: needs schedule: noam)"));
}

}  // namespace
}  // namespace calque
