#include "data/cleaning/rules.h"

#include <fmt/format.h>

#include <cmath>

#include "data/cleaning/facts.h"
#include "data/cleaning/line_signs.h"
#include "data/corpora/filters.h"
#include "data/text/utf8.h"
#include "data/tokenizers/symbol_model.h"

namespace calque {
namespace {

constexpr auto number_of = [](Rule rule) { return static_cast<size_t>(rule); };

void mark(RuleSet& broken, Rule rule, bool is_broken) {
  if (is_broken) broken.set(number_of(rule));
}

// The rule that forbids any examination of the line, if there is one.
void examine_bytes(const Line& line, RuleSet& broken) {
  if (line.too_long) return mark(broken, Rule::overlong, true);
  const Drop drop = check_text(line.text);
  mark(broken, Rule::invalid, drop == Drop::invalid);
  mark(broken, Rule::nul, drop == Drop::nul);
}

bool has_words(std::string_view text) {
  bool any = false;
  for_each_symbol(SymbolUnit::word, text, [&](std::string_view) { any = true; });
  return any;
}

}  // namespace

PairRules::PairRules(const RuleOptions& options, const CorpusSurvey& survey)
    : options_(options), survey_(survey) {
  constexpr double same_language = 0.8;
  const auto switch_off = [this](std::initializer_list<Rule> rules) {
    for (const Rule rule : rules) options_.off.set(number_of(rule));
  };
  if (!survey.has_enough()) switch_off({Rule::source_script, Rule::target_script, Rule::ratio});
  if (!survey.has_enough() || survey.side_similarity() >= same_language) {
    switch_off({Rule::swapped, Rule::language});
  }
  if (survey.has_enough()) {
    usual_ratio_ = survey.lengths.median();
    ratio_limit_ = options.max_deviation * survey.lengths.spread();
  }
  if (!survey.has_many()) switch_off({Rule::source_language, Rule::target_language});
  if (!options_.off[number_of(Rule::translation)]) learn_translations();
}

// Off for few pairs, and where the words of most pairs do not explain each other.
void PairRules::learn_translations() {
  constexpr int64_t enough = 1000;
  constexpr double convincing = 0.7;
  if (survey_.translations.size() < enough) return;
  translations_ = TranslationScore(survey_.translations);
  const double usual = translations_->usual();
  if (usual < convincing) return translations_.reset();
  least_score_ = options_.min_translation * usual;
}

std::array<RuleSet, 2> PairRules::broken_by(std::span<const Line> pair) const {
  std::array<RuleSet, 2> broken;
  for (const int column : {0, 1}) examine_bytes(pair[column], broken[column]);
  if ((broken[0] | broken[1]).any()) return broken;
  for (const int column : {0, 1}) {
    const std::string_view text = pair[column].text;
    RuleSet& own = broken[column];
    mark(own, Rule::empty, !has_words(text));
    mark(own, Rule::length, count_code_points(text) > options_.max_characters);
    mark(own, column == 0 ? Rule::source_script : Rule::target_script,
         survey_.scripts[column].is_strange(text));
    mark(own, Rule::markup, has_markup(text));
    mark(own, Rule::mojibake, has_mojibake(text));
  }
  const std::string_view source = pair[0].text, target = pair[1].text;
  mark(broken[0], Rule::copy, source == target);
  mark(broken[0], Rule::ratio,
       std::abs(LengthRatios::of(source, target) - usual_ratio_) > ratio_limit_);
  mark(broken[0], Rule::numbers, numbers_differ(source, target));
  mark(broken[0], Rule::urls, urls_differ(source, target));
  examine_letters(pair, broken);
  examine_words(source, target, broken[0]);
  for (RuleSet& own : broken) own &= ~options_.off;
  return broken;
}

// A line with unusual letters is in another language, unless the other side has them too, as names
// have.
void PairRules::examine_letters(std::span<const Line> pair, std::array<RuleSet, 2>& broken) const {
  constexpr double unusual = -2.75;
  if (options_.off[number_of(Rule::source_language)] &&
      options_.off[number_of(Rule::target_language)]) {
    return;
  }
  std::array<std::optional<double>, 2> deviations;
  for (const int column : {0, 1}) {
    deviations[column] = survey_.letters[column].deviation(pair[column].text);
    if (!deviations[column]) return;
  }
  for (const int column : {0, 1}) {
    const double other = std::min(0.0, *deviations[1 - column]);
    mark(broken[column], column == 0 ? Rule::source_language : Rule::target_language,
         *deviations[column] - other < unusual);
  }
}

void PairRules::examine_words(std::string_view source, std::string_view target,
                              RuleSet& broken) const {
  const auto& [sources, targets] = survey_.words;
  const bool source_crossed = reads_like(source, targets, sources);
  const bool target_crossed = reads_like(target, sources, targets);
  mark(broken, Rule::swapped, source_crossed && target_crossed);
  mark(broken, Rule::language, source_crossed != target_crossed);
  if (!translations_) return;
  const std::optional<double> score = translations_->of(source, target);
  mark(broken, Rule::translation, score && *score < least_score_);
}

std::string PairRules::what(Rule rule) const {
  const std::string text = text_of(rule).what;
  if (rule != Rule::source_script && rule != Rule::target_script) return text;
  return fmt::format("{} than {}", text, survey_.scripts[rule == Rule::target_script].usual());
}

}  // namespace calque
