// calque translate with a barely trained model: lines, options and errors, not quality.
#include <doctest/doctest.h>

#include <sstream>

#include "cli/program.h"
#include "cli/trained.h"
#include "cli/translating.h"

namespace calque {
namespace {

TEST_CASE("translate writes one line for each input line, in order, for any size of --buffer") {
  const std::string input = "a b c\\n\\nb c\\nd e f g h\\na\\n";
  const CommandResult together = translate(input, "--scores --beam 2");
  CHECK(together.status == 0);
  CHECK(together.err.empty());
  CHECK(count_lines(together.out) == 5);
  CHECK(together.out.find("\n ||| 0.0000 0.0000\n") != std::string::npos);
  const CommandResult apart = translate(input, "--beam 2 --buffer 1");
  CHECK(apart.out == translate(input, "--beam 2").out);
  CHECK(count_lines(apart.out) == 5);
}

TEST_CASE("an --output whose name ends in .gz is gzip, however many lines are written at once") {
  const std::string plain = translate("a b c\\n\\nb c\\n", "").out;
  for (const char* buffer : {"", " --buffer 1"}) {
    const std::string file = trained().file("lines.gz");
    CHECK(translate("a b c\\n\\nb c\\n", "--output " + file + buffer).status == 0);
    CHECK(run("gzip -dc " + file).out == plain);
  }
}

TEST_CASE("translate writes nothing for empty input, and the last line needs no line break") {
  CHECK(translate("", "").out.empty());
  CHECK(count_lines(translate("a\\nb", "").out) == 2);
}

TEST_CASE("--text translates each sentence of a line by itself, and keeps all white space") {
  const CommandResult alone = translate("a b c!\\nb?\\nd e!\\n", "");
  std::vector<std::string> lines;
  std::istringstream out(alone.out);
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  REQUIRE(lines.size() == 3);
  const std::string whole =
      " " + lines[0] + "\t " + lines[1] + "\r\n\n \n" + lines[2] + "  " + lines[1];
  for (const char* buffer : {"", " --buffer 1", " --buffer 3"}) {
    const CommandResult text =
        translate(" a b c!\\t b?\\r\\n\\n \\nd e!  b?", std::string("--text") + buffer);
    CHECK(text.err == "");
    CHECK(text.out == whole);
  }
  CHECK(translate("", "--text").out.empty());
  CHECK(translate("\\n\\r\\n", "--text").out == "\n\r\n");
  CHECK(translate("a", "--text --n-best 2").status == 2);
}

TEST_CASE("translate refuses a line with more tokens than the model has learned positions") {
  const std::string folder = trained().file("learned");
  train_briefly(folder,
                "--set model.positions=learned --set model.max_positions=40 "
                "--set data.max_length=30");
  const CommandResult refused =
      run("{ echo a b; yes a | head -50 | paste -sd ' '; } | calque translate " + folder);
  CHECK(refused.status == 1);
  CHECK(count_lines(refused.out) == 1);
  CHECK(refused.err ==
        "calque: standard input:2: 51 tokens, but the model has learned 40 positions; split the "
        "line\n");
}

TEST_CASE("a line longer than any training pair is translated in parts, with a warning") {
  const std::string folder = trained().file("short"), input = trained().file("long");
  train_briefly(folder, "--set data.max_length=12");
  const std::string long_line = "yes a | head -20000 | paste -sd ' '";
  const CommandResult ran =
      run("{ echo a b; " + long_line + "; echo c; " + long_line + "; } > " + input +
          "; calque translate " + folder + " --input " + input + " --beam 1 --alignment");
  CHECK(ran.status == 0);
  CHECK(count_lines(ran.out) == 4);
  CHECK(count_lines(ran.err) == 2);
  CHECK(ran.err.find("long:2: 20000 tokens, more than the 12 of any training sentence; ") !=
        std::string::npos);
  CHECK(ran.err.find("long: 2 lines are that long\n") != std::string::npos);
  const CommandResult ordinary =
      run("{ echo a b; echo c; } | calque translate " + folder + " --beam 1 --alignment");
  CHECK(ordinary.err.empty());
  std::istringstream with(ran.out), without(ordinary.out);
  std::string first, second;
  REQUIRE((std::getline(with, first) && std::getline(without, second)));
  CHECK(first == second);
}

TEST_CASE("translate reports a line of invalid text, and translates the lines before it") {
  const CommandResult ran = translate("a\\nb\\n\\377\\nc\\n", "");
  CHECK(ran.status == 1);
  CHECK(count_lines(ran.out) == 2);
  CHECK(ran.err ==
        "calque: standard input:3: not valid UTF-8 (byte 1); fix the line, or give --invalid-utf8 "
        "replace or skip\n");
}

TEST_CASE("--invalid-utf8 reads invalid lines as their valid bytes, or as empty lines") {
  const std::string input = "a b\\n\\377 a\\nb\\000\\nb\\n";
  const CommandResult skipped = translate(input, "--invalid-utf8 skip");
  CHECK(skipped.status == 0);
  CHECK(skipped.out == translate("a b\\n\\n\\nb\\n", "").out);
  CHECK(skipped.err ==
        "calque: 2 invalid lines (first: standard input:2: not valid UTF-8 (byte 1)); read as "
        "empty\n");
  const CommandResult replaced = translate(input, "--invalid-utf8 replace");
  CHECK(replaced.status == 0);
  CHECK(replaced.out == translate("a b\\n\\357\\277\\275 a\\nb\\357\\277\\275\\nb\\n", "").out);
  CHECK(replaced.err.find("bad bytes were read as U+FFFD\n") != std::string::npos);
  const CommandResult valid = translate("a b\\n", "--invalid-utf8 replace");
  CHECK((valid.status == 0 && valid.err.empty()));
  CHECK(translate("a\\n", "--invalid-utf8 drop").status == 2);
}

TEST_CASE("translate reports that its output cannot be written") {
  CHECK(translate("a\\n", "> /dev/full").status == 1);
  const CommandResult ran = translate("a\\n", "--output /dev/full");
  CHECK(ran.status == 1);
  CHECK(ran.err == "calque: /dev/full: cannot be written: No space left on device\n");
  const std::string input = trained().file("many");
  run("yes a | head -n 20000 > " + input);
  const std::string many =
      "calque translate " + trained().run + " --input " + input +
      " --buffer 20000 --set decoding.max_length=4 --set decoding.min_length=4 --beam 1";
  const CommandResult full = run(many + " > /dev/full");
  CHECK(full.status == 1);
  CHECK(full.err == "calque: standard output: No space left on device\n");
  const CommandResult gone = run("trap '' PIPE; " + many + " | true");
  CHECK(gone.status == 141);
  CHECK(gone.err.empty());
}

TEST_CASE(
    "translate refuses an invalid run, input or --sampling, and does not overwrite its input") {
  CHECK(run("calque translate /nosuch < /dev/null").err ==
        "calque: /nosuch: there is no such run\n");
  CHECK(translate("", "--input /nosuch").err ==
        "calque: /nosuch: cannot be read: No such file or directory\n");
  for (const std::string wrong : {"top-p", "top-p=", "top-p=2", "top=3", "temperature=x", "seed=-1",
                                  "=", "top-k=1,", "top-p=1,top-p=1"}) {
    CAPTURE(wrong);
    CHECK(translate("", "--sampling " + wrong).status == 2);
  }
  const std::string file = trained().file("text");
  const CommandResult ran =
      run("echo a > " + file + "; calque translate " + trained().run + " --input " + file +
          " --output " + file + "; s=$?; cat " + file + "; exit $s");
  CHECK(ran.status == 1);
  CHECK(ran.out == "a\n");
  const CommandResult redirected = run("calque translate " + trained().run + " < " + file +
                                       " --output " + file + "; s=$?; cat " + file + "; exit $s");
  CHECK(redirected.status == 1);
  CHECK(redirected.out == "a\n");
  CHECK(translate("a\\n", "--output " + file).status == 0);
  CHECK(run("calque translate " + trained().run + " < /dev/null --output /dev/null").status == 0);
}

TEST_CASE(
    "translate reads gzip, /dev/stdin as --input, a byte-order mark and lines that end in CR LF") {
  const std::string plain = translate("a b c\\nd e\\n", "").out;
  const std::string packed = trained().file("packed.gz");
  CHECK(run("printf 'a b c\\nd e\\n' | gzip > " + packed + "; calque translate " + trained().run +
            " --input " + packed)
            .out == plain);
  CHECK(translate("a b c\\nd e\\n", "--input /dev/stdin").out == plain);
  CHECK(translate("\\357\\273\\277a b c\\r\\nd e\\r\\n", "").out == plain);
  const CommandResult empty =
      run(": | gzip > " + packed + "; calque translate " + trained().run + " --input " + packed);
  CHECK(empty.status == 0);
  CHECK(empty.out.empty());
  const CommandResult damaged = run("printf 'a b c\\n' | gzip | head -c 20 > " + packed +
                                    "; calque translate " + trained().run + " --input " + packed);
  CHECK(damaged.status == 1);
  CHECK(damaged.err.find("packed.gz") != std::string::npos);
}

}  // namespace
}  // namespace calque
