// The commands with encoder-only models: fill, classify, embed, evaluate, info, data check.
#include <doctest/doctest.h>

#include <sstream>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

const std::string& masked() { return trained_masked_lm().run; }
const std::string& classifier() { return trained_classifier().run; }

CommandResult fill(const std::string& arguments) {
  return run("calque fill " + masked() + " " + arguments);
}

CommandResult classify(const std::string& text, const std::string& options = "") {
  return run("printf '" + text + "' | calque classify " + classifier() + " " + options);
}

// The tab-separated fields of each line.
std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, '\t');) rows.back().push_back(field);
  }
  return rows;
}

TEST_CASE("fill replaces each [MASK] and lists the most probable tokens for it") {
  const CommandResult ran = fill("'The d[MASK]g s[MASK]s' --alternatives 3");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.err.empty());
  const auto rows = table(ran.out);
  REQUIRE(rows.size() == 7);
  const std::string& text = rows[0][0];
  CHECK_MESSAGE(text.starts_with("The d"), text);
  CHECK(text.find("MASK") == std::string::npos);
  CHECK(text.size() == std::string("The dog sees").size() - 1);
  for (size_t i = 1; i < rows.size(); ++i) {
    REQUIRE(rows[i].size() == 3);
    CHECK(rows[i][0] == (i <= 3 ? "1" : "2"));
    if (i % 3 != 1) CHECK(std::stod(rows[i][1]) <= std::stod(rows[i - 1][1]));
  }
  CHECK(rows[1][2] == (text[5] == ' ' ? "\u2581" : text.substr(5, 1)));
  CHECK(fill("'The d[MASK]g s[MASK]s' --alternatives 3 --threads 1").out == ran.out);
  CHECK(count_lines(fill("'The d[MASK]g'").out) == 2);
}

TEST_CASE("fill refuses a text without [MASK], a text that is too long, and runs of other tasks") {
  check_refused(fill("'The dog'"), 1, "the text has no [MASK]; write one where a token is missing");
  check_refused(fill("'[MASK]" + std::string(40, 'e') + "'"), 1,
                "the text has 43 tokens, but the model sees 32 at once");
  check_refused(fill("$'[MASK]\\377'"), 1, "the text: not valid UTF-8 (byte 7)");
  check_refused(fill("'[MASK]' --alternatives 0"), 2, "--alternatives");
  check_refused(run("calque fill /nosuch '[MASK]'"), 1, "/nosuch: there is no such run");
  check_refused(run("calque fill " + classifier() + " '[MASK]'"), 1,
                "calque fill needs a run of task: masked-lm; ");
}

TEST_CASE("classify prints one label per line, which does not depend on the other lines") {
  const CommandResult ran = classify("the dog sleeps\\n\\nder Hund\\tthe cat\\r\\n");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.err.empty());
  CHECK(count_lines(ran.out) == 3);
  for (const auto& row : table(ran.out)) {
    REQUIRE(row.size() == 1);
    CHECK_MESSAGE((row[0] == "de" || row[0] == "en"), row[0]);
  }
  CHECK(classify("the dog sleeps").out == ran.out.substr(0, 3));
  CHECK(classify("der Hund\\tthe cat\\n").out == ran.out.substr(6));
  CHECK(classify("").out.empty());
}

TEST_CASE("classify --probabilities --top prints the most probable labels first") {
  const CommandResult ran = classify("the dog sleeps\\n", "--probabilities --top 5");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  const auto rows = table(ran.out);
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0].size() == 4);
  CHECK(rows[0][0] != rows[0][2]);
  const double first = std::stod(rows[0][1]), second = std::stod(rows[0][3]);
  CHECK(first >= second);
  CHECK(first + second == doctest::Approx(1).epsilon(1e-3));
  CHECK(classify("the dog sleeps\\n").out == rows[0][0] + "\n");
}

TEST_CASE("classify refuses a line of three texts, invalid UTF-8, --top 0 and other tasks' runs") {
  check_refused(classify("a\\nb\\tc\\td\\n"), 1,
                "standard input:2: has more than two texts; a tab separates the two texts");
  check_refused(classify("a\\n\\377\\n"), 1, "standard input:2: not valid UTF-8 (byte 1)");
  check_refused(classify("a\\n", "--top 0"), 2, "--top");
  check_refused(run("echo a | calque classify " + masked()), 1,
                "calque classify needs a run of task: classification or images; ");
}

// The space-separated numbers of each line.
std::vector<std::vector<float>> vectors(const std::string& text) {
  std::vector<std::vector<float>> rows;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream numbers(line);
    rows.emplace_back();
    for (std::string number; numbers >> number;) rows.back().push_back(std::stof(number));
  }
  return rows;
}

CommandResult embed(const std::string& run_folder, const std::string& text) {
  return run("printf '" + text + "' | calque embed " + run_folder);
}

TEST_CASE("embed prints one vector of norm 1 per line, which does not depend on the other lines") {
  for (const std::string& folder : {masked(), classifier()}) {
    const CommandResult ran = embed(folder, "The dog sees\\n\\nIt is a cat\\r\\nThe dog sees");
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
    CHECK(ran.err.empty());
    const auto rows = vectors(ran.out);
    REQUIRE(rows.size() == 4);
    for (const std::vector<float>& row : rows) {
      CHECK(row.size() == rows[0].size());
      double squares = 0;
      for (const float x : row) squares += static_cast<double>(x) * static_cast<double>(x);
      CHECK(squares == doctest::Approx(1).epsilon(1e-5));
    }
    CHECK(rows[0] == rows[3]);
    CHECK(rows[0] != rows[1]);
    CHECK(rows[0] != rows[2]);
    CHECK(vectors(embed(folder, "It is a cat\\n").out)[0] == rows[2]);
    CHECK(embed(folder, "").out.empty());
  }
}

TEST_CASE("embed truncates a text that has more tokens than the context") {
  const std::string most(30, 'e');  // with <s> and </s> the 32 tokens of the context
  const CommandResult ran =
      embed(masked(), most + "\\n" + most + "The dog\\n" + most.substr(1) + "\\n");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  const auto rows = vectors(ran.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1] == rows[0]);
  CHECK(rows[2] != rows[0]);
}

TEST_CASE("classify and embed read an invalid line as --invalid-utf8 says") {
  const std::string invalid = "the dog\\nder \\377\\n",
                    repaired = "the dog\\nder \\357\\277\\275\\n";
  const CommandResult classes = classify(invalid, "--invalid-utf8 replace");
  CHECK(classes.status == 0);
  CHECK(classes.out == classify(repaired).out);
  const CommandResult embedded = embed(masked() + " --invalid-utf8 replace", invalid);
  CHECK(embedded.status == 0);
  CHECK(embedded.out == embed(masked(), repaired).out);
}

TEST_CASE("embed refuses invalid UTF-8, runs of other tasks and a missing run") {
  check_refused(embed(masked(), "a\\n\\377\\n"), 1, "standard input:2: not valid UTF-8 (byte 1)");
  check_refused(run("echo a | calque embed " + trained().run), 1,
                "calque embed needs a run of task: language-model, masked-lm or classification; ");
  check_refused(run("echo a | calque embed /nosuch"), 1, "/nosuch: there is no such run");
}

CommandResult evaluate_lines(const std::string& text, const std::string& options = "") {
  const std::string file = trained_classifier().file("lines");
  return run("printf '" + text + "' > " + file + "; calque evaluate " + classifier() +
             " --labelled " + file + " " + options);
}

TEST_CASE("evaluate measures a classifier on a split or a labelled file") {
  const CommandResult split = run("calque evaluate " + classifier() + " --split validation");
  REQUIRE_MESSAGE(split.status == 0, split.err);
  CHECK(split.out.find("toy-en-de: 20 examples\n") != std::string::npos);
  const std::string output = trained_classifier().file("labels");
  const CommandResult file = evaluate_lines("en\\tthe dog\\nde der Hund\\n",
                                            "--samples 1 --output " + output + " && cat " + output);
  REQUIRE_MESSAGE(file.status == 0, file.err);
  for (const char* part :
       {"  the dog\n  = en\n  > ", "lines: 2 examples\n", "accuracy ", "macro F1 ", "precision"}) {
    CHECK_MESSAGE(file.out.find(part) != std::string::npos, file.out);
  }
  CHECK(file.out.ends_with(classify("the dog\\nder Hund\\n").out));
}

TEST_CASE("evaluate refuses an unknown label, an empty file, and a labelled file for other runs") {
  check_refused(evaluate_lines("fr\\tle chien\\n"), 1,
                "lines, example 1: the label 'fr' does not occur in the training data");
  check_refused(evaluate_lines(""), 1, "lines: the file is empty");
  check_refused(evaluate_lines("en\\n"), 1, "lines:1: must be a label, a tab or a space, and a");
  check_refused(run("calque evaluate " + masked() + " --labelled /dev/null"), 1,
                "--labelled needs a run of task: classification; ");
  check_refused(run("calque evaluate " + classifier() + " --text /dev/null"), 1,
                "--text needs a run of task: language-model, masked-lm or word2vec; ");
  check_refused(run("calque evaluate " + classifier()), 1, "give --labelled, or a split that");
}

TEST_CASE("evaluate measures a masked language model and writes the filled windows") {
  const std::string text = trained_masked_lm().file("text");
  const std::string output = trained_masked_lm().file("filled");
  const CommandResult ran =
      run("printf 'The dog sees\\nIt is a cat\\n' > " + text + "; calque evaluate " + masked() +
          " --text " + text + " --output " + output + " && cat " + output);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find("2 documents, ") != std::string::npos);
  CHECK(ran.out.find("of those replaced by [MASK] ") != std::string::npos);
  const auto rows = table(ran.out);
  REQUIRE(rows.back().size() == 3);
  CHECK(rows.back()[1].find("a cat") != std::string::npos);
  CHECK(rows.back()[2].find("[MASK]") == std::string::npos);
}

TEST_CASE("info and data check describe encoder-only models; score and explain refuse them") {
  CHECK(run("calque info " + masked()).out.find("task masked-lm\n") != std::string::npos);
  CHECK(run("calque info " + classifier()).out.find("task classification\n") != std::string::npos);
  const CommandResult data = run("calque data check " + trained_classifier().file("config.yaml"));
  CHECK_MESSAGE(data.out.starts_with("train: 400 examples, "), data.err);
  CHECK(data.out.find("  de: 200\n  en: 200\n") != std::string::npos);
  check_refused(run("calque score " + masked() + " --text /dev/null"), 1,
                "--text needs a run of task: language-model; ");
  check_refused(run("calque explain " + masked() + " The"), 1,
                "calque explain needs a run of task: translation, language-model or images; ");
  check_refused(run("calque explain " + classifier() + " The"), 1,
                "calque explain needs a run of task: translation, language-model or images; ");
}

}  // namespace
}  // namespace calque
