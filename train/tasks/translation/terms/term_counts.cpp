#include "train/tasks/translation/terms/term_counts.h"

#include <fmt/format.h>

#include <algorithm>

namespace calque {

std::vector<const Term*> distinct_terms(const Glossary& glossary, const std::string& text) {
  std::vector<const Term*> terms;
  for (const FoundTerm& found : glossary.find(text)) {
    if (std::ranges::count(terms, found.term) == 0) terms.push_back(found.term);
  }
  return terms;
}

TermCounts count_terms(const Glossary& glossary, std::span<const std::string> sources,
                       std::span<const std::string> translations) {
  TermCounts counts;
  for (size_t i = 0; i < sources.size(); ++i) {
    const TermText words(translations[i]);
    for (const Term* term : distinct_terms(glossary, sources[i])) {
      const TermMatch match = match_term(words, *term);
      ++counts.terms;
      counts.exact += match == TermMatch::exact ? 1 : 0;
      counts.forms += match == TermMatch::form ? 1 : 0;
    }
  }
  return counts;
}

std::string TermCounts::text() const {
  if (terms == 0) return "none";
  const auto share = [this](int64_t count) {
    return 100 * static_cast<double>(count) / static_cast<double>(terms);
  };
  return fmt::format("{:.2f}% of {}, {:.2f}% in the first form", share(exact + forms), terms,
                     share(exact));
}

}  // namespace calque
