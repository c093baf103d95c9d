// Ensembles, and how calque evaluate decodes.
#include <doctest/doctest.h>

#include "cli/program.h"
#include "cli/trained.h"
#include "cli/translating.h"

namespace calque {
namespace {

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
  CHECK(translate("a b c\\nd\\n", trained().run + " --beam 2").out == alone.out);
}

TEST_CASE("evaluate decodes as --set says, and writes the translations that it scores") {
  const std::string source = trained().file("test.source"), target = trained().file("test.target");
  const std::string output = trained().file("translations");
  const std::string how = " --beam 2 --set decoding.max_length=3";
  const std::string make = "printf 'a b\\nc d e\\n' | tee " + source + " > " + target + "; ";
  const CommandResult ran = run(make + "calque evaluate " + trained().run + " --source " + source +
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
          trained().place.string() + "' && calque evaluate " + trained().run + " --source " +
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
  const std::string alone = run("calque evaluate " + trained().run + options).out;
  const std::string both =
      run("calque evaluate " + trained().run + " " + trained().run + options).out;
  CHECK(alone.find("perplexity") != std::string::npos);
  CHECK(both.find("perplexity") == std::string::npos);
  const size_t scores = alone.find("  exact matches"), of_both = both.find("  exact matches");
  REQUIRE(of_both != std::string::npos);
  CHECK(both.substr(of_both) == alone.substr(scores));
}

}  // namespace
}  // namespace calque
