// calque translate with files of translators: glossaries, catalogues and documents.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.h"
#include "cli/trained.h"
#include "cli/translating.h"

namespace calque {
namespace {

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
                                " --memory " + trained().file("memory.po") + " " + trained().run);
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
  const CommandResult again = run("calque translate " + trained().run + " --po " + filled);
  CHECK(again.out == text);
  check_refused(
      run("calque translate " + trained().run + " --po " + trained().run + "/config.yaml"), 1,
      "config.yaml:1: ");
  CHECK(run("calque translate " + trained().run + " --po " + po + " --input x").status == 2);
}

TEST_CASE(
    "--po writes as many plural forms as the header says, and refuses what gettext cannot read") {
  const auto fill = [](const std::string& forms) {
    std::ofstream(trained().place / "plurals.po")
        << "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Plural-Forms: " +
               forms +
               "\\n\"\n\n#, no-wrap\nmsgid \"a\"\nmsgid_plural \"a b c\"\n"
               "msgstr[0] \"\"\nmsgstr[1] \"\"\n";
    return run("calque translate " + trained().run + " --po " + trained().file("plurals.po"));
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
    return run("calque translate " + trained().run + " --document " + trained().file(name) +
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
  check_refused(run("calque translate " + trained().run + " --document nothing.md"), 1,
                "nothing.md");
  CHECK(document("a.html", "a", " --text").status == 2);
}

}  // namespace
}  // namespace calque
