// calque translate, with a model that has hardly learned anything: what matters here is lines.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "cli/program.h"

namespace calque {
namespace {

// A run trained for a few steps, once a process, and a place for files.
struct Trained {
  std::filesystem::path place =
      std::filesystem::temp_directory_path() / ("calque_translate." + std::to_string(getpid()));
  std::string run_folder = "'" + (place / "run").string() + "'";

  Trained() {
    const Ran ran =
        run("calque train '" CALQUE_SOURCE_DIR "/configs/copy.yaml' --quiet --run " + run_folder +
            " --set training.until=3u --set data.train='[{toy: copy, pairs: 200}]' "
            "--set training.validate_translate=none --set training.metric=loss");
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
  }
  ~Trained() { std::filesystem::remove_all(place); }
};

const Trained& trained() {
  static const Trained once;
  return once;
}

const std::string& run_folder() { return trained().run_folder; }

Ran translate(const std::string& input, const std::string& options) {
  return run("printf '" + input + "' | calque translate " + run_folder() + " " + options);
}

TEST_CASE("translate gives a line for a line, in order, however many are translated together") {
  const std::string input = "a b c\\n\\nb c\\nd e f g h\\na\\n";
  const Ran together = translate(input, "--scores --beam 2");
  CHECK(together.status == 0);
  CHECK(together.err.empty());
  CHECK(lines(together.out) == 5);
  CHECK(together.out.find("\n ||| 0.0000 0.0000\n") != std::string::npos);
  const Ran apart = translate(input, "--beam 2 --buffer 1");
  CHECK(apart.out == translate(input, "--beam 2").out);
  CHECK(lines(apart.out) == 5);
}

TEST_CASE("translate gives nothing for nothing, and a last line needs no end") {
  CHECK(translate("", "").out.empty());
  CHECK(lines(translate("a\\nb", "").out) == 2);
}

TEST_CASE("translate writes n-best lists as Moses does") {
  const Ran ran = translate("a b\\n\\nc\\n", "--n-best 2 --beam 3");
  CHECK(ran.status == 0);
  CHECK(lines(ran.out) == 5);
  CHECK(ran.out.starts_with("0 ||| "));
  CHECK(ran.out.find("\n1 |||  ||| 0.0000 0.0000\n2 ||| ") != std::string::npos);
}

TEST_CASE("translate draws the same from the same seed") {
  const std::string hot = "--sampling temperature=1.5,top-p=0.9,seed=";
  const Ran first = translate("a b c\\nd e\\n", hot + "3");
  CHECK(first.status == 0);
  CHECK(first.out == translate("a b c\\nd e\\n", hot + "3 --buffer 1").out);
  CHECK(first.out != translate("a b c\\nd e\\n", hot + "4").out);
}

TEST_CASE("translate names the line that is no text, and translates those before it") {
  const Ran ran = translate("a\\nb\\n\\377\\nc\\n", "");
  CHECK(ran.status == 1);
  CHECK(lines(ran.out) == 2);
  CHECK(ran.err == "calque: standard input:3: not valid UTF-8 (byte 1)\n");
}

TEST_CASE("translate says when its output cannot be written") {
  CHECK(translate("a\\n", "> /dev/full").status == 1);
  const Ran ran = translate("a\\n", "--output /dev/full");
  CHECK(ran.status == 1);
  CHECK(ran.err == "calque: /dev/full: cannot be written\n");
}

TEST_CASE("translate refuses what is no run, no input, no sampling, and to overwrite its input") {
  CHECK(run("calque translate /nosuch < /dev/null").err ==
        "calque: /nosuch: there is no such run\n");
  CHECK(translate("", "--input /nosuch").err == "calque: /nosuch: cannot be read\n");
  for (const std::string wrong : {"top-p", "top-p=2", "top=3", "temperature=x", "seed=-1", "="}) {
    CAPTURE(wrong);
    CHECK(translate("", "--sampling " + wrong).status == 1);
  }
  const std::string file = "'" + (trained().place / "text").string() + "'";
  const Ran ran = run("echo a > " + file + "; calque translate " + run_folder() + " --input " +
                      file + " --output " + file + "; s=$?; cat " + file + "; exit $s");
  CHECK(ran.status == 1);
  CHECK(ran.out == "a\n");
}

TEST_CASE("a run and itself translate together as it does alone") {
  const Ran alone = translate("a b c\\nd\\n", "--beam 2");
  CHECK(translate("a b c\\nd\\n", run_folder() + " --beam 2").out == alone.out);
}

}  // namespace
}  // namespace calque
