// calque translate, and how calque evaluate decodes, with a barely trained model: lines, options,
// errors and ensembles, not quality.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/program.h"
#include "cli/trained.h"
#include "support/folders.h"

namespace calque {
namespace {

const std::string& run_folder() { return trained().run; }

CommandResult translate(const std::string& input, const std::string& options) {
  return run("printf '" + input + "' | calque translate " + run_folder() + " " + options);
}

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

TEST_CASE("--glossary decides terms, and a line of it that is no term is an error") {
  const std::string terms = trained().file("terms.tsv");
  const auto with = [&](const std::string& lines, const std::string& options = "") {
    run("printf '" + lines + "' > " + terms);
    return translate("a b\\nc\\n", "--glossary " + terms + " " + options);
  };
  const std::string plain = translate("a b\\nc\\n", "").out;
  const CommandResult found = with("b\\tq r\\n");
  CHECK(found.err == "");
  CHECK(found.out.substr(0, found.out.find('\n')).find("q r") != std::string::npos);
  CHECK(found.out.substr(found.out.find('\n')) == plain.substr(plain.find('\n')));
  CHECK(with("b\\tq r\\n", "--text").out == found.out);
  CHECK(with("z\\tq\\n").out == plain);
  const CommandResult bad = with("b\\tq\\nc\\n");
  CHECK(bad.status == 1);
  CHECK(bad.err.find("terms.tsv:2: has no tab") != std::string::npos);
  CHECK(with("b\\tq\\n", "--alignment").status == 2);
  CHECK(with("b\\tq\\n", "--set decoding.force_terms=false")
            .err.find("was not trained with data.terms") != std::string::npos);
  CHECK(with("b\\tq r\\na\\t%%\\n")
            .err.find("terms.tsv: the vocabulary cannot write 1 of 2 terms, which are not "
                      "required: the first is %") != std::string::npos);
  CHECK(translate("a", "--glossary nowhere.tsv").err.find("nowhere.tsv") != std::string::npos);
}

TEST_CASE("--mbr takes a sample, the same one each time, and needs a number") {
  const std::string once = translate("a b c\\n", "--mbr 8 --scores").out;
  CHECK(count_lines(once) == 1);
  CHECK(translate("a b c\\n", "--mbr 8 --scores").out == once);
  CHECK(translate("a b c\\n", "--set decoding.mbr=8 --scores").out == once);
  CHECK(translate("a b c\\n", "--mbr 8 --mbr-metric bleu").status == 0);
  CHECK(translate("a b c\\n", "--mbr 8 --scores --set decoding.max_length=60").out == once);
  CHECK(translate("a", "--mbr 0").status == 2);
  CHECK(translate("a", "--mbr-metric chrf").status == 2);
  CHECK(translate("a", "--mbr 2 --mbr-metric ter").status == 2);
}

TEST_CASE("--po fills a catalogue's untranslated messages, and msgfmt accepts them") {
  const std::string po = trained().file("de.po"), filled = trained().file("filled.po");
  std::ofstream(trained().place / "de.po")
      << "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n"
         "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n"
         "#, c-format\nmsgid \"a %s b\\n\"\nmsgstr \"\"\n\n"
         "#, c-format\nmsgid \"%d a\"\nmsgid_plural \"%d b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n"
         "msgid \"&c\"\nmsgstr \"\"\n\nmsgid \"d\"\nmsgstr \"D\"\n\nmsgctxt \"x\"\nmsgid \"d\"\n"
         "msgstr \"\"\n\nmsgid \"known\"\nmsgstr \"\"\n";
  std::ofstream(trained().place / "memory.po") << "msgid \"known\"\nmsgstr \"bekannt\"\n";
  const CommandResult ran = run("calque translate --po " + po + " --output " + filled +
                                " --memory " + trained().file("memory.po") + " " + run_folder());
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(
      ran.err.find("6 messages; translated before: 1; fuzzy before: 0; filled from the memory: 2, "
                   "by the model: 3\n") != std::string::npos);
  const std::string text = run("cat " + filled).out;
  CHECK(text.find("msgctxt \"x\"\nmsgid \"d\"\nmsgstr \"D\"\n") != std::string::npos);
  CHECK(text.find("#, fuzzy\nmsgid \"known\"\nmsgstr \"bekannt\"\n") != std::string::npos);
  CHECK(text.find("msgstr \"\"\n\n") == std::string::npos);
  if (run("msgfmt --version").status != 0) {
    MESSAGE("msgfmt is missing: the filled catalogue is not checked; install gettext");
    return;
  }
  const CommandResult checked = run("msgfmt --check --use-fuzzy -o /dev/null " + filled);
  CHECK_MESSAGE(checked.status == 0, checked.err);
  const CommandResult again = run("calque translate " + run_folder() + " --po " + filled);
  CHECK(again.out == text);
  check_refused(run("calque translate " + run_folder() + " --po " + run_folder() + "/config.yaml"),
                1, "config.yaml:1: ");
  CHECK(run("calque translate " + run_folder() + " --po " + po + " --input x").status == 2);
}

TEST_CASE(
    "--po writes as many plural forms as the header says, and refuses what gettext cannot read") {
  const auto fill = [](const std::string& forms) {
    std::ofstream(trained().place / "plurals.po")
        << "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Plural-Forms: " +
               forms +
               "\\n\"\n\n#, no-wrap\nmsgid \"a\"\nmsgid_plural \"a b c\"\n"
               "msgstr[0] \"\"\nmsgstr[1] \"\"\n";
    return run("calque translate " + run_folder() + " --po " + trained().file("plurals.po"));
  };
  const CommandResult two = fill("nplurals=2; plural=n!=1;");
  const auto line_of = [](const std::string& text, const std::string& key) {
    const size_t at = text.find(key) + key.size();
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string one = line_of(two.out, "msgstr[0] "), many = line_of(two.out, "msgstr[1] ");
  REQUIRE(one != many);
  const CommandResult slovenian =
      fill("nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);");
  CHECK_MESSAGE(slovenian.out.ends_with("msgstr[0] " + many + "\nmsgstr[1] " + one +
                                        "\nmsgstr[2] " + many + "\nmsgstr[3] " + many + "\n"),
                slovenian.out);
  CHECK(fill("nplurals=1; plural=0;").out.ends_with("\nmsgstr[0] " + many + "\n"));
  check_refused(fill("nplurals=2; plural=n;"), 1,
                "plurals.po:3: Plural-Forms: selects form 2 for n = 2, but nplurals is 2");
}

TEST_CASE("--document translates the texts of a file and keeps all else") {
  const auto document = [](const std::string& name, const std::string& text,
                           const std::string& options = "") {
    std::ofstream(trained().place / name) << text;
    return run("calque translate " + run_folder() + " --document " + trained().file(name) +
               options);
  };
  const CommandResult alone = translate("a b c!\\nb?\\n", "");
  const size_t feed = alone.out.find('\n');
  const std::string first = alone.out.substr(0, feed), second = alone.out.substr(feed + 1);
  const CommandResult html = document("a.html", "<p>a b c!</p> <pre>d</pre><p> b?\n</p>");
  CHECK(html.out == "<p>" + first + "</p> <pre>d</pre><p> " + second + "</p>");
  CHECK(html.err.find("a.html: 2 texts, 2 sentences, 0 tags within them\n") != std::string::npos);
  const std::string file = trained().file("b.md");
  const CommandResult markdown = document("b.md", "# a b c!\n\n`x`\n", " --output " + file);
  CHECK(markdown.status == 0);
  CHECK(run("cat " + file).out == "# " + first + "\n\n`x`\n");
  const std::string packed = trained().file("b.md.gz");
  const CommandResult gzip = document("b.md", "# a b c!\n", " --output " + packed);
  CHECK(gzip.err.find("b.md: 1 text, 1 sentence, 0 tags within them\n") != std::string::npos);
  CHECK(run("gzip -dc " + packed).out == "# " + first + "\n");
  const std::string tags = document("c.html", "<p><b>a</b> b <i>c <u>d</u></i><img>.</p>").out;
  for (const char* tag : {"<b>", "</b>", "<i>", "<u>", "</u>", "</i>", "<img>"}) {
    CAPTURE(tag);
    CHECK(tags.find(tag) != std::string::npos);
  }
  CHECK(document("d.srt", "").out.empty());
  check_refused(document("e.html", "a\nb\377"), 1, "e.html:2: not valid UTF-8 (byte 2)");
  check_refused(document("f.txt", "a"), 1, "f.txt: not a document; its name must end with .html");
  check_refused(document("g.srt", "a\n"), 1, "g.srt:1: no subtitle");
  check_refused(run("calque translate " + run_folder() + " --document nothing.md"), 1,
                "nothing.md");
  CHECK(document("a.html", "a", " --text").status == 2);
}

TEST_CASE("translate writes n-best lists as Moses does") {
  const CommandResult ran = translate("a b\\n\\nc\\n", "--n-best 2 --beam 3");
  CHECK(ran.status == 0);
  CHECK(count_lines(ran.out) == 5);
  CHECK(ran.out.starts_with("0 ||| "));
  CHECK(ran.out.find("\n1 |||  ||| 0.0000 0.0000\n2 ||| ") != std::string::npos);
}

TEST_CASE("--alignment links each word of the translation to a word of the source") {
  const CommandResult ran = translate("a b c\\n\\nd\\n", "--alignment");
  CHECK(ran.status == 0);
  std::istringstream out(ran.out);
  for (const int words_read : {3, 0, 1}) {
    std::string line;
    REQUIRE(std::getline(out, line));
    const size_t bar = line.find(" ||| ");
    REQUIRE(bar != std::string::npos);
    std::istringstream written(line.substr(0, bar)), links(line.substr(bar + 5));
    const auto words = std::distance(std::istream_iterator<std::string>(written), {});
    int from = 0, to = 0, before = -1;
    char dash = 0;
    std::set<int> linked;
    while (links >> from >> dash >> to) {
      CHECK(dash == '-');
      CHECK((from >= before && from < words_read));
      before = from;
      linked.insert(to);
    }
    CHECK(std::ssize(linked) == words);
    CHECK((linked.empty() || (*linked.begin() == 0 && *linked.rbegin() == words - 1)));
  }
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

TEST_CASE("translate samples the same translations with the same seed") {
  const std::string hot = "--sampling temperature=1.5,top-p=0.9,seed=";
  const CommandResult first = translate("a b c\\nd e\\n", hot + "3");
  CHECK(first.status == 0);
  CHECK(first.out == translate("a b c\\nd e\\n", hot + "3 --buffer 1").out);
  CHECK(first.out != translate("a b c\\nd e\\n", hot + "4").out);
}

TEST_CASE("--sampling accepts every option of sampling") {
  const CommandResult best = translate("a b c\\nd e\\n", "--beam 1");
  for (const char* narrow : {"top-k=1", "temperature=0", "min-p=1", "top-p=0"}) {
    CAPTURE(narrow);
    CHECK(translate("a b c\\nd e\\n", std::string("--sampling ") + narrow).out == best.out);
  }
  CHECK(translate("a b c\\n", "--sampling repetition-penalty=1.5,seed=2").status == 0);
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
      "calque translate " + run_folder() + " --input " + input +
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
      run("echo a > " + file + "; calque translate " + run_folder() + " --input " + file +
          " --output " + file + "; s=$?; cat " + file + "; exit $s");
  CHECK(ran.status == 1);
  CHECK(ran.out == "a\n");
  const CommandResult redirected = run("calque translate " + run_folder() + " < " + file +
                                       " --output " + file + "; s=$?; cat " + file + "; exit $s");
  CHECK(redirected.status == 1);
  CHECK(redirected.out == "a\n");
  CHECK(translate("a\\n", "--output " + file).status == 0);
  CHECK(run("calque translate " + run_folder() + " < /dev/null --output /dev/null").status == 0);
}

TEST_CASE(
    "translate reads gzip, /dev/stdin as --input, a byte-order mark and lines that end in CR LF") {
  const std::string plain = translate("a b c\\nd e\\n", "").out;
  const std::string packed = trained().file("packed.gz");
  CHECK(run("printf 'a b c\\nd e\\n' | gzip > " + packed + "; calque translate " + run_folder() +
            " --input " + packed)
            .out == plain);
  CHECK(translate("a b c\\nd e\\n", "--input /dev/stdin").out == plain);
  CHECK(translate("\\357\\273\\277a b c\\r\\nd e\\r\\n", "").out == plain);
  const CommandResult empty =
      run(": | gzip > " + packed + "; calque translate " + run_folder() + " --input " + packed);
  CHECK(empty.status == 0);
  CHECK(empty.out.empty());
  const CommandResult damaged = run("printf 'a b c\\n' | gzip | head -c 20 > " + packed +
                                    "; calque translate " + run_folder() + " --input " + packed);
  CHECK(damaged.status == 1);
  CHECK(damaged.err.find("packed.gz") != std::string::npos);
}

TEST_CASE("translate begins each translation with its line of --prefix, in every way to decode") {
  const std::string prefixes = trained().file("prefixes");
  const std::string with = "printf 'x y\\n\\nz\\n' > " + prefixes +
                           "; printf 'a b\\nc d\\ne\\n' | " + "calque translate " + run_folder() +
                           " --prefix " + prefixes;
  for (const std::string way : {"--beam 1", "--beam 3", "--sampling seed=2", "--buffer 1"}) {
    CAPTURE(way);
    const CommandResult ran = run(fmt::format("{} {}", with, way));
    CHECK(ran.status == 0);
    CHECK(count_lines(ran.out) == 3);
    CHECK(ran.out.starts_with("x y"));
    CHECK(ran.out.substr(ran.out.rfind('\n', ran.out.size() - 2) + 1).starts_with("z"));
  }
}

TEST_CASE("translate writes the prefix for an empty line, and samples do not depend on --buffer") {
  const std::string prefixes = trained().file("prefixes");
  const std::string with = "printf 'x\\ny\\n\\n' > " + prefixes +
                           "; printf 'a b\\n\\ne f g\\n' | calque translate " + run_folder() +
                           " --sampling seed=5 --prefix " + prefixes;
  const CommandResult ran = run(with);
  CHECK(ran.out.find("\ny\n") != std::string::npos);
  CHECK(run(with + " --buffer 1").out == ran.out);
}

TEST_CASE("the run's decoding settings are checked after the command line has overridden them") {
  const std::string wide = "--set decoding.n_best=4 ";
  CHECK(count_lines(translate("a\\n", wide + "--beam 4").out) == 4);
  const CommandResult narrow = translate("a\\n", wide + "--beam 2");
  CHECK(narrow.status == 1);
  CHECK(narrow.err.find("4 is more than beam 2; widen the beam or lower this") !=
        std::string::npos);
  CHECK(translate("a\\n", wide + "--beam 2 --n-best 1").out == translate("a\\n", "--beam 2").out);
  CHECK(count_lines(translate("a\\n", "--beam 1 --n-best 3").out) == 3);
}

TEST_CASE("translate refuses invalid prefixes and another number of prefixes than lines") {
  const std::string prefixes = trained().file("prefixes");
  const auto with = [&](const std::string& text) {
    return run("printf '" + text + "' > " + prefixes + "; printf 'a\\nb\\n' | calque translate " +
               run_folder() + " --prefix " + prefixes);
  };
  const CommandResult fewer = with("x\\n");
  CHECK(fewer.status == 1);
  CHECK(count_lines(fewer.out) == 1);
  CHECK(fewer.err.find("has fewer lines than standard input: ") != std::string::npos);
  CHECK(fewer.err.find("prefixes ends after line 1; ") != std::string::npos);
  CHECK(with("x\\ny\\nz\\n")
            .err.find("has more lines than standard input: standard input ends after line 2; ") !=
        std::string::npos);
  const CommandResult unknown = with("x\\nx strange\\n");
  CHECK(unknown.status == 1);
  CHECK(unknown.err.find("prefixes:2: contains text that is not in the vocabulary") !=
        std::string::npos);
  CHECK(with("x\\n\\377\\n").err.find("prefixes:2: not valid UTF-8") != std::string::npos);
}

TEST_CASE("translate obeys the settings for lengths and n-grams") {
  const auto words = [](const std::string& line) {
    return 1 + std::count(line.begin(), line.end(), ' ');
  };
  CHECK(words(translate("a b c d\\n", "--set decoding.max_length=2 --set decoding.min_length=2")
                  .out) == 2);
  CHECK(words(translate("a b c d\\n",
                        "--set decoding.max_length_ratio=2 --set "
                        "decoding.max_length_extra=0 --set decoding.min_length_ratio=2")
                  .out) == 8);
  const auto different = [](const std::string& line) {
    std::istringstream each(line);
    return std::ssize(std::set<std::string>(std::istream_iterator<std::string>(each), {}));
  };
  const std::string at_least_8 = "--set decoding.min_length=8";
  const std::string free = translate("a b c\\n", at_least_8).out;
  const std::string varied =
      translate("a b c\\n", at_least_8 + " --set decoding.no_repeat_ngram=1").out;
  CHECK(words(free) >= 8);
  CHECK(different(free) < words(free));
  CHECK(words(varied) >= 8);
  CHECK(different(varied) == words(varied));
  // With length_penalty_kind: none, the run's own length penalty is ignored, but one that the
  // command line sets is refused.
  CHECK(translate("a\\n", "--set decoding.length_penalty_kind=none").status == 0);
  for (const char* penalty : {"--length-penalty 1", "--set decoding.length_penalty=1"}) {
    const CommandResult ran =
        translate("a\\n", std::string("--set decoding.length_penalty_kind=none ") + penalty);
    CHECK(ran.status == 1);
    CHECK(ran.err.find("length_penalty_kind") != std::string::npos);
  }
  CHECK(translate("a\\n", "--set training.seed=3").err.find("only decoding.*") !=
        std::string::npos);
  CHECK(translate("a\\n", "--set decoding.max_lenght=3").err.find("max_length") !=
        std::string::npos);
}

TEST_CASE("after calibrate, --confidence adds that of a translation and of its words") {
  const std::string run_of_its_own = trained().file("calibrated");
  REQUIRE(run("cp -r " + run_folder() + " " + run_of_its_own).status == 0);
  const std::string translating = "printf 'a b c\\n\\n' | calque translate " + run_of_its_own;
  check_refused(run(translating + " --confidence"), 1, "has no confidence for the weights of step");
  const CommandResult ran = run("calque calibrate " + run_of_its_own);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find("of them right; expected calibration error: words 0.") != std::string::npos);
  std::istringstream out(run(translating + " --confidence").out);
  std::string line;
  std::getline(out, line);
  const size_t bar = line.find(" ||| ");
  REQUIRE(bar != std::string::npos);
  std::istringstream written(line.substr(0, bar)), judged(line.substr(bar + 5));
  const auto count = std::distance(std::istream_iterator<std::string>(written), {});
  double each = 0;
  int64_t numbers = 0;
  for (; judged >> each; ++numbers) CHECK((each >= 0 && each <= 1));
  CHECK(numbers == count + 1);
  std::getline(out, line);
  CHECK(line == " ||| ");
  CHECK(run("calque evaluate " + run_of_its_own + " --split validation")
            .out.find("\n  confidence: ") != std::string::npos);
  check_refused(run("calque calibrate " + run_of_its_own + " --split nothing"), 1,
                "--split nothing");
  check_refused(run("calque calibrate " + trained_language_model().run), 1, "calque calibrate");
}

TEST_CASE("shortlist reports what it has, and translate and evaluate search in it") {
  const std::string own = trained().file("shortlisted");
  REQUIRE(run("cp -r " + run_folder() + " " + own).status == 0);
  const CommandResult ran = run("calque shortlist " + own + "");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.starts_with("validation: 100.00% of "));
  CHECK(ran.out.ends_with("/shortlist.txt\n"));
  const std::string all = run("calque evaluate " + run_folder() + " --split validation").out;
  const std::string listed = run("calque evaluate " + own + " --split validation").out;
  CHECK(all.substr(all.find("exact matches")) == listed.substr(listed.find("exact matches")));
  CHECK(run("calque shortlist " + own + " --per-token 1 --frequent 0").status == 0);
  const auto translate_a = [&](const std::string& more) {
    return run("printf 'a\\n' | calque translate " + own + more);
  };
  CHECK(translate_a("").out.find_first_not_of("a \n") == std::string::npos);
  CHECK(translate_a("").out != translate_a(" --set decoding.shortlist=false").out);
  REQUIRE(run("printf damaged > " + own + "/shortlist.txt").status == 0);
  check_refused(translate_a(""), 1, "shortlist.txt: is damaged");
  check_refused(run("calque shortlist " + trained_language_model().run), 1, "calque shortlist");
  check_refused(run("calque shortlist " + run_folder() + " --split nothing"), 1, "--split nothing");
}

TEST_CASE("the help of translate lists the decoding options") {
  const std::string help = run("calque translate --help").out;
  for (const char* option :
       {"--beam", "--n-best", "--sampling", "--prefix", "--alignment", "--confidence", "--scores",
        "--set", "--length-penalty", "--invalid-utf8", "gzip"}) {
    CAPTURE(option);
    CHECK(help.find(option) != std::string::npos);
  }
}

TEST_CASE("translate refuses an ensemble of runs with different vocabularies") {
  const std::string other = trained().file("other");
  const CommandResult ran =
      run("calque train '" CALQUE_SOURCE_DIR "/configs/reverse.yaml' --quiet --run " + other +
          " --set training.until=1u --set data.train='[{toy: reverse, pairs: 50}]' "
          "--set tokenizer.vocabulary_size=10 --set training.validate_translate=none "
          "--set training.metric=loss");
  INFO(ran.err);
  const CommandResult both = translate("a\\n", other);
  CHECK(both.status == 1);
  CHECK(both.out.empty());
  CHECK(both.err.find("its vocabulary differs from") != std::string::npos);
}

TEST_CASE("an ensemble of one run twice translates like the run alone") {
  const CommandResult alone = translate("a b c\\nd\\n", "--beam 2");
  CHECK(translate("a b c\\nd\\n", run_folder() + " --beam 2").out == alone.out);
}

TEST_CASE("evaluate decodes as --set says, and writes the translations that it scores") {
  const std::string source = trained().file("test.source"), target = trained().file("test.target");
  const std::string output = trained().file("translations");
  const std::string how = " --beam 2 --set decoding.max_length=3";
  const std::string make = "printf 'a b\\nc d e\\n' | tee " + source + " > " + target + "; ";
  const CommandResult ran = run(make + "calque evaluate " + run_folder() + " --source " + source +
                                " --target " + target + " --output " + output + how);
  CHECK(ran.status == 0);
  CHECK(ran.err.find("wrote ") != std::string::npos);
  CHECK(run("cat " + output).out == translate("a b\\nc d e\\n", how).out);
}

TEST_CASE("evaluate writes source, translation and reference for COMET, a line for each segment") {
  const std::string source = trained().file("comet.source"),
                    target = trained().file("comet.target");
  const CommandResult ran =
      run("printf 'a b\\nc\\rd\\n' > " + source + "; printf 'b\\nd c\\n' > " + target + "; cd '" +
          trained().place.string() + "' && calque evaluate " + run_folder() + " --source " +
          source + " --target " + target + " --export-comet for/comet/ --beam 1");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(
      ran.out.ends_with("\ncomet-score -s for/comet/source.txt -t for/comet/translation.txt -r "
                        "for/comet/reference.txt\n"));
  const std::string written = "cat " + trained().file("for/comet/");
  CHECK(run(written + "source.txt").out == "a b\nc d\n");
  CHECK(run(written + "reference.txt").out == "b\nd c\n");
  CHECK(run(written + "translation.txt").out == translate("a b\\nc\\rd\\n", "--beam 1").out);
  check_refused(run("calque evaluate " + trained_tagger().run + " --export-comet x"), 1,
                "--export-comet");
}

TEST_CASE("an ensemble is evaluated by its translations, without a perplexity") {
  const std::string options = " --split validation --beam 2";
  const std::string alone = run("calque evaluate " + run_folder() + options).out;
  const std::string both =
      run("calque evaluate " + run_folder() + " " + run_folder() + options).out;
  CHECK(alone.find("perplexity") != std::string::npos);
  CHECK(both.find("perplexity") == std::string::npos);
  const size_t scores = alone.find("  exact matches"), of_both = both.find("  exact matches");
  REQUIRE(of_both != std::string::npos);
  CHECK(both.substr(of_both) == alone.substr(scores));
}

}  // namespace
}  // namespace calque
