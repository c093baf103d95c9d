#include "data/markup/word_pairs.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "data/markup/text_words.h"

namespace calque {
namespace {

using WordIndices = std::vector<int32_t>;
using Places = std::unordered_map<std::string_view, WordIndices>;

Places places_of(std::string_view text, const std::vector<TextRange>& words) {
  Places places;
  for (size_t i = 0; i < words.size(); ++i) {
    places[words[i].of(text)].push_back(static_cast<int32_t>(i));
  }
  return places;
}

// The source word with the most links to each target word.
WordIndices linked(size_t targets, std::span<const WordLink> links) {
  std::vector<std::map<int32_t, int>> votes(targets);
  for (const WordLink& link : links) ++votes[static_cast<size_t>(link.target)][link.source];
  WordIndices source_of;
  for (const auto& own : votes) {
    const auto most =
        std::ranges::max_element(own, {}, [](const auto& vote) { return vote.second; });
    source_of.push_back(most == own.end() ? -1 : most->first);
  }
  return source_of;
}

// Equal words that occur as often in both texts belong together in their order if they are
// punctuation, and if they occur once.
void link_equal(std::string_view from, const std::vector<TextRange>& source, std::string_view to,
                const std::vector<TextRange>& target, WordIndices& source_of) {
  const Places here = places_of(from, source), there = places_of(to, target);
  for (const auto& [word, places] : there) {
    const auto own = here.find(word);
    const bool same = own != here.end() && own->second.size() == places.size();
    const bool mark = is_mark(word);
    if (!mark && !(same && places.size() == 1)) continue;
    for (size_t i = 0; i < places.size(); ++i) {
      source_of[static_cast<size_t>(places[i])] = same ? own->second[i] : -1;
    }
  }
}

// The parts of a word between the tags in it.
std::vector<TextRange> parts_of(TextRange word, const std::vector<InlineTag>& tags) {
  std::vector<TextRange> parts;
  auto tag = std::ranges::upper_bound(tags, word.begin, {}, &InlineTag::at);
  for (; tag != tags.end() && tag->at < word.end; ++tag) {
    if (tag->at == word.begin) continue;
    parts.push_back({word.begin, tag->at});
    word.begin = tag->at;
  }
  parts.push_back(word);
  return parts;
}

}  // namespace

WordPairs::WordPairs(const MarkedText& from, std::string_view to, std::span<const WordLink> links) {
  const std::vector<TextRange> whole = text_words(from.text), words = text_words(to);
  WordIndices whole_of = linked(words.size(), links);
  link_equal(from.text, whole, to, words, whole_of);
  divide(from, whole, to, words, whole_of);
  targets_of_.resize(source.size());
  for (size_t t = 0; t < target.size(); ++t) {
    target_is_mark.push_back(is_mark(target[t].of(to)));
    if (source_of[t] >= 0) targets_of_[static_cast<size_t>(source_of[t])].push_back(t);
  }
  for (const TextRange& word : source) {
    spoken_.push_back(spoken_.back() + (is_mark(word.of(from.text)) ? 0 : 1));
  }
}

// Divides the words where tags stand within them; whole_of has the source word of each target word.
void WordPairs::divide(const MarkedText& from, const std::vector<TextRange>& whole,
                       std::string_view to, const std::vector<TextRange>& words,
                       const std::vector<int32_t>& whole_of) {
  std::vector<std::vector<TextRange>> parts;
  WordIndices first;  // part of each source word
  for (const TextRange& word : whole) {
    first.push_back(static_cast<int32_t>(source.size()));
    parts.push_back(parts_of(word, from.tags));
    source.insert(source.end(), parts.back().begin(), parts.back().end());
  }
  for (size_t t = 0; t < words.size(); ++t) {
    const int32_t own = whole_of[t];
    const auto s = static_cast<size_t>(std::max(own, 0));
    if (own < 0 || parts[s].size() == 1) {
      target.push_back(words[t]);
      source_of.push_back(own < 0 ? -1 : first[s]);
    } else if (words[t].of(to) == whole[s].of(from.text)) {
      for (size_t k = 0; k < parts[s].size(); ++k) {
        const TextRange& part = parts[s][k];
        const size_t begin = words[t].begin + (part.begin - whole[s].begin);
        target.push_back({begin, begin + (part.end - part.begin)});
        source_of.push_back(first[s] + static_cast<int32_t>(k));
      }
    } else {
      const auto longest = std::ranges::max_element(
          parts[s], {}, [](const TextRange& part) { return part.end - part.begin; });
      target.push_back(words[t]);
      source_of.push_back(first[s] + static_cast<int32_t>(longest - parts[s].begin()));
    }
  }
}

bool WordPairs::is_whole(WordRange part, WordRange all) const {
  return spoken(part) > 0 && spoken(part) == spoken(all);
}

WordRange WordPairs::spoken_part(WordRange to, WordRange part, WordRange all) const {
  WordRange inner = to;
  if (part.begin > all.begin) {
    while (inner.begin < inner.end && target_is_mark[inner.begin]) ++inner.begin;
  }
  if (part.end < all.end) {
    while (inner.end > inner.begin && target_is_mark[inner.end - 1]) --inner.end;
  }
  return inner;
}

std::optional<size_t> WordPairs::target_in(WordRange to, size_t source_word, bool last) const {
  const std::vector<size_t>& all = targets_of_[source_word];
  const auto begin = std::ranges::lower_bound(all, to.begin);
  const auto end = std::ranges::lower_bound(all, to.end);
  if (begin == end) return std::nullopt;
  return last ? *(end - 1) : *begin;
}

size_t WordPairs::begin_of(size_t word) const {
  return word < target.size() ? target[word].begin : end_before(word);
}

}  // namespace calque
