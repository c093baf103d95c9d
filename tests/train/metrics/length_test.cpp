// BLEU by the length of the source: the sentences of each range of lengths, and their BLEU.
#include <doctest/doctest.h>

#include "train/metrics/translation/bleu_by_length.h"

namespace calque {
namespace {

TEST_CASE("BLEU by length is the BLEU of the sentences of each length") {
  const std::vector<std::string> sources = {"a b c d e", "a b c d e f", "", "a  b c d e f g"};
  const std::vector<std::string> outputs = {"one two three four", "five six seven eight", "nine",
                                            "five six seven nine"};
  const std::vector<std::string> references = {"one two three four", "five six seven eight", "ten",
                                               "five six seven eight"};
  const auto scores = bleu_by_length(sources, outputs, references, {});
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].shortest == 1);
  CHECK(scores[0].longest == 5);
  CHECK(scores[0].sentences == 2);  // an empty source has the shortest length
  CHECK(scores[1].sentences == 2);
  const std::vector<std::vector<std::string>> one{{references[1], references[3]}};
  CHECK(scores[1].bleu.score ==
        bleu(std::vector{outputs[1], outputs[3]}, one, BleuOptions{}).score);
  CHECK(to_text(scores).starts_with("    1 to   5 words       2 sentences  BLEU "));
  CHECK(bleu_by_length({}, {}, {}, {}).empty());
}

}  // namespace
}  // namespace calque
