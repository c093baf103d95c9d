#include "train/tasks/translation/sentence_explanation.h"

#include <algorithm>

#include "core/error.h"
#include "data/text/utf8.h"
#include "decode/explain.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

// The explanation has one vocabulary. If the source has another one, its tokens are added behind
// the target vocabulary, with logits too low to matter.
void add_vocabulary(Explanation& explanation, const Tokenizers& tokenizers) {
  for (int32_t id = 0; id < tokenizers.target.size(); ++id) {
    explanation.vocabulary.push_back(tokenizers.target.symbol(id));
  }
  if (tokenizers.source.hash() == tokenizers.target.hash()) return;
  for (int32_t& id : explanation.source_tokens) {
    explanation.vocabulary.push_back(tokenizers.source.symbol(id));
    id = static_cast<int32_t>(explanation.vocabulary.size()) - 1;
  }
  for (std::vector<float>& logits : explanation.logits) {
    const float low = *std::ranges::min_element(logits) - 100;
    logits.resize(explanation.vocabulary.size(), low);
  }
}

}  // namespace

Explanation explain_sentence(const TranslationRun& run, const std::string& text,
                             const DecodingConfig& decoding) {
  const std::string problem = utf8_problem(text);
  if (!problem.empty()) fail("the sentence: {}", problem);
  const std::vector<int32_t> source = run.tokenizers.source.encode(text);
  if (source.empty()) fail("there is nothing to explain in an empty sentence");
  Explanation explanation =
      explain(run.model(), run.tokenizers.read(source), translation_options(decoding));
  explanation.source = text;
  explanation.translation = run.tokenizers.target.decode(explanation.target_tokens);
  explanation.model =
      fmt::format("{}, {} parameters", run.checkpoint, run.network->parameters.count());
  add_vocabulary(explanation, run.tokenizers);
  return explanation;
}

}  // namespace calque
