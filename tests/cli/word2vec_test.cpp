// The commands with runs of task: word2vec.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

const std::string& words() { return trained_word2vec().run; }

CommandResult neighbours(const std::string& arguments) {
  return run("calque neighbours " + words() + " " + arguments);
}

TEST_CASE("neighbours prints words with their cosines, nearest first, and answers analogies") {
  const CommandResult ran = neighbours("king --count 4");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.err.empty());
  CHECK(count_lines(ran.out) == 4);
  std::istringstream rows(ran.out);
  double last = 1;
  for (std::string word, cosine; rows >> word >> cosine;) {
    CHECK(word != "king");
    CHECK(std::stod(cosine) <= last);
    last = std::stod(cosine);
  }
  const CommandResult analogy = neighbours("king queen prince");
  REQUIRE_MESSAGE(analogy.status == 0, analogy.err);
  CHECK(count_lines(analogy.out) == 10);
  for (const char* word : {"king\t", "queen\t", "prince\t"}) {
    CHECK(("\n" + analogy.out).find(std::string("\n") + word) == std::string::npos);
  }
  CHECK(neighbours("king --count 4 --threads 1").out == ran.out);
}

TEST_CASE("neighbours refuses unknown words, two words, and runs of other tasks") {
  check_refused(neighbours("kng"), 1, "'kng' is not in the vocabulary");
  check_refused(neighbours("king queen"), 2, "give one word, or three for an analogy");
  check_refused(neighbours("king --count 0"), 2, "--count");
  check_refused(neighbours("$'\\377'"), 1, "the word: not valid UTF-8 (byte 1)");
  check_refused(run("calque neighbours " + trained_classifier().run + " king"), 1,
                "calque neighbours needs a run of task: word2vec; ");
  check_refused(run("calque vectors " + trained_classifier().run), 1,
                "calque vectors needs a run of task: word2vec; ");
}

TEST_CASE("vectors writes a header and one line per word, and another run can start from them") {
  const CommandResult ran = run("calque vectors " + words());
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  std::istringstream in(ran.out);
  int64_t count = 0, size = 0;
  in >> count >> size;
  CHECK(size == 16);
  CHECK(count_lines(ran.out) == count + 1);
  CHECK(ran.out.find("\nqueen ") != std::string::npos);
  const std::string file = (trained_word2vec().place / "vectors.txt").string();
  std::ofstream(file) << ran.out;
  const std::string train = "calque train " + trained_word2vec().file("config.yaml") + " --run " +
                            trained_word2vec().file("next") +
                            " --set training.until=1u --set model.embeddings='{source: " + file +
                            ", freeze: true}' ";
  // The 3 special symbols have no line in the file.
  const std::string all = fmt::format("model.embeddings: {} of {} entries", count, count + 3);
  const CommandResult plan = run(train + "--dry-run");
  REQUIRE_MESSAGE(plan.status == 0, plan.err);
  CHECK_MESSAGE(plan.out.find(all) != std::string::npos, plan.out);
  const CommandResult next = run(train);
  REQUIRE_MESSAGE(next.status == 0, next.err);
  CHECK(run("calque vectors " + trained_word2vec().file("next")).out == ran.out);
}

TEST_CASE("evaluate measures word2vec on a split or a text, and prints words with neighbours") {
  const CommandResult split = run("calque evaluate " + words() + " --split validation --samples 2");
  REQUIRE_MESSAGE(split.status == 0, split.err);
  for (const char* part : {"  the\n  > ", "toy-analogies: 20 documents, ", "loss ", "accuracy "}) {
    CHECK_MESSAGE(split.out.find(part) != std::string::npos, split.out);
  }
  const std::string text = (trained_word2vec().place / "more.txt").string();
  std::ofstream(text) << "the king lost his crown\n";
  const CommandResult ran = run("calque evaluate " + words() + " --text '" + text + "'");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find(": 1 documents, ") != std::string::npos);
  check_refused(run("calque evaluate " + words() + " --split train --output x"), 1,
                "calque vectors writes the vectors");
  check_refused(run("calque explain " + words() + " king"), 1,
                "calque explain needs a run of task: translation, language-model or images; ");
  check_refused(run("calque score " + words() + " --text '" + text + "'"), 1,
                "--text needs a run of task: language-model; ");
}

TEST_CASE("info and data check describe word2vec") {
  const CommandResult info = run("calque info " + words());
  REQUIRE_MESSAGE(info.status == 0, info.err);
  CHECK_MESSAGE(info.out.find("\nembedding ") != std::string::npos, info.out);
  const CommandResult check = run("calque data check " + trained_word2vec().file("config.yaml"));
  REQUIRE_MESSAGE(check.status == 0, check.err);
}

}  // namespace
}  // namespace calque
