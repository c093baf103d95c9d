#pragma once
// The rules by which a pair is bad. `calque data check` counts the pairs that break them;
// `calque data clean` drops those pairs.

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/cleaning/survey.h"
#include "data/corpora/corpus.h"

namespace calque {

// In the order of precedence: a dropped pair counts for the first rule that it breaks.
enum class Rule {
  overlong,
  invalid,
  nul,
  empty,
  length,
  copy,
  source_script,
  target_script,
  swapped,
  language,
  source_language,
  target_language,
  ratio,
  markup,
  mojibake,
  numbers,
  urls,
  translation,
  models,
  repeated,
  nearly_repeated,
};
inline constexpr int rule_count = 21;
using RuleSet = std::bitset<rule_count>;

struct RuleText {
  const char* name;
  const char* what;  // breaks it, in the plural
};
// Indexed by Rule.
inline constexpr std::array<RuleText, rule_count> rule_texts = {{
    {"overlong", "lines of more than 1 MiB"},
    {"invalid", "lines that are not valid UTF-8"},
    {"nul", "lines with a NUL"},
    {"empty", "pairs with an empty side"},
    {"length", "pairs with a side of too many characters"},
    {"copy", "pairs with equal sides"},
    {"source-script", "source lines in another script"},
    {"target-script", "target lines in another script"},
    {"swapped", "pairs with swapped sides"},
    {"language", "pairs with both sides in one language"},
    {"source-language", "source lines in another language"},
    {"target-language", "target lines in another language"},
    {"ratio", "pairs of unlikely lengths"},
    {"markup", "lines with HTML tags or references"},
    {"mojibake", "lines with broken characters, such as \u00c3\u00a4 for \u00e4"},
    {"numbers", "pairs with different numbers"},
    {"urls", "pairs with different URLs"},
    {"translation", "pairs whose words do not translate each other"},
    {"models", "pairs that two trained models doubt"},
    {"repeated", "repeated pairs"},
    {"nearly-repeated", "pairs like an earlier one but for case, digits and punctuation"},
}};
constexpr const RuleText& text_of(Rule rule) { return rule_texts[static_cast<size_t>(rule)]; }
// The first rule that can be switched off: other lines cannot be examined.
inline constexpr Rule first_optional = Rule::empty;

struct RuleOptions {
  RuleSet off = {};               // rules that are not applied
  int64_t max_characters = 1000;  // of a side
  double max_deviation =
      5;  // of the ratio of the lengths from the corpus's, in standard deviations
  double min_translation = 0.55;  // of the usual score (TranslationScore)
  double max_cost = 2;            // of the usual cost (CleanOptions::costs)
};

class PairRules {
 public:
  // The rules that need the survey are off if it has too few pairs, or, for those of languages, if
  // both sides use the same words.
  PairRules(const RuleOptions& options, const CorpusSurvey& survey);

  // The rules that a pair breaks, by the column that shows it: the first one for what only both
  // columns show. The rules after Rule::translation are never in it: they depend on earlier pairs
  // or on models.
  std::array<RuleSet, 2> broken_by(std::span<const Line> pair) const;

  // What breaks the rule: "source lines in another script than Latin".
  std::string what(Rule rule) const;

 private:
  void learn_translations();
  void examine_letters(std::span<const Line> pair, std::array<RuleSet, 2>& broken) const;
  void examine_words(std::string_view source, std::string_view target, RuleSet& broken) const;

  RuleOptions options_;
  const CorpusSurvey& survey_;
  double usual_ratio_ = 0, ratio_limit_ = 0;
  std::optional<TranslationScore> translations_;
  double least_score_ = 0;
};

}  // namespace calque
