// The commands with a run in several languages: --to and --from, scores by pair, exports.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/program.h"

namespace calque {
namespace {

// A run of a few steps between English, German and French, trained once.
struct Several {
  std::filesystem::path place =
      std::filesystem::temp_directory_path() / ("calque_cli_languages." + std::to_string(getpid()));

  Several() {
    std::filesystem::create_directories(place);
    write("several.yaml", R"(
data:
  multilingual: true
  train:
    - {toy: toy-en-de, pairs: 150, directions: both}
    - {toy: toy-en-fr, pairs: 100}
  validation: {toy: toy-en-de, pairs: 5}
  test: [{toy: toy-en-de, pairs: 6, directions: both}, {toy: toy-en-fr, pairs: 4}]
tokenizer: {vocabulary_size: 400}
model: {d_model: 16, d_ff: 32, heads: 2, encoder_layers: 1, decoder_layers: 1}
training: {until: 4u, batch_tokens: 256}
decoding: {max_length: 20, beam: 2}
)");
    const CommandResult ran =
        calque::run("calque train " + file("several.yaml") + " --quiet --run " + file("run"));
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
  }
  ~Several() { std::filesystem::remove_all(place); }
  Several(const Several&) = delete;
  Several& operator=(const Several&) = delete;

  std::string file(const std::string& name) const { return "'" + (place / name).string() + "'"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(place / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(place / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

const Several& several() {
  static const Several once;
  return once;
}

std::string run_folder() { return several().file("run"); }

CommandResult translate(const std::string& options) {
  return run("printf 'the king sleeps.\\n\\na cow.\\n' | calque translate " + run_folder() + " " +
             options);
}

TEST_CASE("translate --to names the target language, which must be one of the run's") {
  const CommandResult german = translate("--to de --scores"),
                      french = translate("--to fr --scores");
  REQUIRE_MESSAGE(german.status == 0, german.err);
  CHECK(count_lines(german.out) == 3);
  CHECK(german.out != french.out);
  check_refused(translate(""), 1, "translates into de, en and fr; name the target language");
  check_refused(translate("--to it"), 1, "does not translate into it, but into de, en and fr");
  check_refused(translate("--to de --from it"), 1, "knows no texts in it, but in en, de and fr");
  CHECK(translate("--to fr --from de").status == 0);  // no corpus joins them
  CHECK(translate("--to fr --from de").out == translate("--to fr").out);
}

TEST_CASE("texts, catalogues and documents are translated into the language") {
  const Several& files = several();
  CHECK(translate("--to de --text").status == 0);
  files.write("page.html", "<html lang=\"en\"><p>the king <b>sleeps</b>.</p></html>\n");
  const CommandResult page = run("calque translate " + run_folder() +
                                 " --to fr --from en --document " + files.file("page.html"));
  REQUIRE_MESSAGE(page.status == 0, page.err);
  CHECK(page.out.starts_with("<html lang=\"fr\"><p>"));
  files.write("m.po",
              "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
              "msgid \"the king\"\nmsgstr \"\"\n");
  const std::string po = "calque translate " + run_folder() + " --po " + files.file("m.po");
  CHECK(run(po + " --to en").status == 0);
  files.write("m.tmx",
              "<tmx><body><tu><tuv xml:lang=\"it\"><seg>re</seg></tuv></tu></body></tmx>\n");
  const std::string memory = " --memory " + files.file("m.tmx");
  check_refused(run(po + " --to fr" + memory), 1, "has both en and fr");  // the only source
}

TEST_CASE("evaluate scores each direction and prints the means; files need --to") {
  const CommandResult all = run("calque evaluate " + run_folder());
  REQUIRE_MESSAGE(all.status == 0, all.err);
  for (const char* name : {"toy-en-de (en-de): 6 pairs", "toy-en-de (de-en): 6 pairs",
                           "toy-en-fr (en-fr): 4 pairs", "mean of 3: BLEU "}) {
    CHECK_MESSAGE(all.out.find(name) != std::string::npos, name);
  }
  const Several& files = several();
  files.write("t.de", "der König schläft.\n");
  files.write("t.fr", "le roi dort.\n");
  const std::string pair =
      " --source " + files.file("t.de") + " --target " + files.file("t.fr") + " ";
  const CommandResult zero = run("calque evaluate " + run_folder() + pair + "--to fr");
  REQUIRE_MESSAGE(zero.status == 0, zero.err);
  CHECK(zero.out.find("-fr): 1 pairs") != std::string::npos);
  check_refused(run("calque evaluate " + run_folder() + pair), 1, "name the target language");
  check_refused(run("calque score " + run_folder() + pair), 1, "name the target language");
  CHECK(run("calque score " + run_folder() + pair + "--to fr").status == 0);
}

TEST_CASE("compare takes the corpora of a split in the languages") {
  const std::string two = "calque compare " + run_folder() + " " + run_folder() + " --samples 100 ";
  const CommandResult german = run(two + "--to de");
  CHECK_MESSAGE(german.status == 0, german.err);
  check_refused(run(two), 1, "has no corpus in the languages of --to and --from");
  check_refused(run(two + "--to fr --from de"), 1, "has no corpus in the languages");
}

TEST_CASE("info lists the language pairs, and explain shows the token") {
  CHECK(run("calque info " + run_folder()).out.find("languages en-de, de-en, en-fr\n") !=
        std::string::npos);
  const CommandResult explained =
      run("calque explain " + run_folder() + " 'a cow.' --to fr --json");
  REQUIRE_MESSAGE(explained.status == 0, explained.err);
  CHECK(explained.out.find(R"("\u003e\u003efr\u003c\u003c")") != std::string::npos);
}

TEST_CASE("exports keep the tokens, imports know them, and other formats refuse") {
  const Several& files = several();
  const std::string source = "calque export " + run_folder() + " ";
  for (const char* format : {"ctranslate2", "huggingface"}) {
    CAPTURE(format);
    const std::string out = files.file(format), back = files.file(std::string(format) + "-run");
    const CommandResult exported = run(source + format + " --out " + out);
    REQUIRE_MESSAGE(exported.status == 0, exported.err);
    const std::string readme = files.read(std::string(format) + "/README.md");
    for (const char* token : {"`>>de<<`", "`>>en<<`", "`>>fr<<`"}) {
      CHECK(readme.find(token) != std::string::npos);
    }
    const CommandResult imported = run("calque import " + out + " --run " + back);
    REQUIRE_MESSAGE(imported.status == 0, imported.err);
    const std::string line = "printf 'the king sleeps.\\n' | calque translate ";
    CHECK(run(line + back + " --to fr --set decoding.max_length=20 --beam 2").out ==
          run(line + run_folder() + " --to fr").out);
    check_refused(run(line + back), 1, "translates into de, en and fr; name the target language");
  }
  for (const char* format : {"marian", "onnx"}) {
    check_refused(run(source + format), 1,
                  "data.multilingual is true, which " + std::string(format) + " cannot hold");
  }
}

}  // namespace
}  // namespace calque
