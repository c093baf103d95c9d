#include "data/terms/learned_terms.h"

#include <algorithm>

#include "data/terms/term_forms.h"
#include "data/text/lowercase.h"
#include "data/text/marks.h"
#include "data/text/utf8.h"
#include "data/text/words.h"

namespace calque {
namespace {

constexpr double least_probability = 0.1;  // in each direction

// Words that are forms of each other have the same beginning.
std::string beginning(std::string_view word) {
  constexpr size_t letters = 3;
  const std::string plain = without_marks(lowercase(word));
  const std::vector<size_t> borders = character_borders(plain);
  return plain.substr(0, borders[std::min(letters, borders.size() - 1)]);
}

}  // namespace

std::vector<int32_t> LearnedTerms::Side::add(std::string_view text) {
  std::vector<int32_t> found;
  for (const TextRange& range : word_ranges(text)) {
    std::string word = lower ? lowercase(range.of(text)) : std::string(range.of(text));
    const auto [at, added] = numbers.emplace(word, static_cast<int32_t>(words.size()));
    if (added) {
      words.push_back(std::move(word));
      counts.push_back(0);
    }
    ++counts[at->second];
    found.push_back(at->second);
  }
  all += std::ssize(found);
  return found;
}

std::vector<int32_t> LearnedTerms::Side::ids(std::string_view text) const {
  std::vector<int32_t> found;
  for (const TextRange& range : word_ranges(text)) {
    const auto at = numbers.find(lower ? lowercase(range.of(text)) : std::string(range.of(text)));
    found.push_back(at == numbers.end() ? -1 : at->second);
  }
  return found;
}

LearnedTerms::LearnedTerms(const Pairs& pairs) {
  std::vector<std::vector<int32_t>> from, to;
  for (const auto& [source, target] : pairs) {
    from.push_back(source_.add(source));
    to.push_back(target_.add(target));
  }
  std::vector<AlignedIds> forward, backward;
  for (size_t i = 0; i < pairs.size(); ++i) {
    forward.push_back({from[i], to[i]});
    backward.push_back({to[i], from[i]});
  }
  tables_.emplace_back(forward);
  tables_.emplace_back(backward);
  for (size_t id = 0; id < target_.words.size(); ++id) {
    families_[beginning(target_.words[id])].push_back(static_cast<int32_t>(id));
  }
}

// Pairs of words of which each is the other's most probable translation in the sentence.
std::vector<LearnedTerms::Link> LearnedTerms::links(const std::vector<int32_t>& from,
                                                    const std::vector<int32_t>& to) const {
  const auto best = [](const WordTranslations& table, int32_t word,
                       const std::vector<int32_t>& others) {
    std::pair<double, size_t> found{0, 0};
    for (size_t i = 0; i < others.size(); ++i) {
      const double probability = others[i] < 0 ? 0 : table.probability(word, others[i]);
      if (probability > found.first) found = {probability, i};
    }
    return found;
  };
  std::vector<Link> found;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] < 0 || source_.is_frequent(from[i])) continue;
    const auto [forward, j] = best(tables_[0], from[i], to);
    if (forward < least_probability || target_.is_frequent(to[j])) continue;
    const auto [backward, back] = best(tables_[1], to[j], from);
    if (backward < least_probability || back != i) continue;
    found.push_back({i, j, from[i], to[j]});
  }
  return found;
}

const std::string& LearnedTerms::dictionary_form(int32_t from, int32_t to) const {
  const std::string& word = target_.words[to];
  std::pair<double, int32_t> best{tables_[0].probability(from, to), to};
  for (const int32_t other : families_.at(beginning(word))) {
    const double probability = tables_[0].probability(from, other);
    if (probability > best.first && is_form_of(target_.words[other], word)) {
      best = {probability, other};
    }
  }
  return target_.words[best.second];
}

std::vector<TermMark> LearnedTerms::draw(std::string_view source, std::string_view target,
                                         Random& random) const {
  const std::vector<TextRange> from = word_ranges(source), to = word_ranges(target);
  std::vector<Link> found = links(source_.ids(source), target_.ids(target));
  const uint64_t most = 1 + random.below(3);
  std::vector<TermMark> marks;
  for (size_t i = 0; i < found.size() && marks.size() < most; ++i) {
    const uint64_t left = most - marks.size();
    if (random.below(found.size() - i) >= left) continue;
    const Link& link = found[i];
    const bool joins = i + 1 < found.size() && found[i + 1].source == link.source + 1 &&
                       found[i + 1].target == link.target + 1 && random.below(3) == 0;
    if (joins) {
      const TextRange words{to[link.target].begin, to[link.target + 1].end};
      marks.push_back(
          {{from[link.source].begin, from[link.source + 1].end}, std::string(words.of(target))});
      ++i;
    } else {
      marks.push_back({from[link.source], dictionary_form(link.from, link.to)});
    }
  }
  return marks;
}

}  // namespace calque
