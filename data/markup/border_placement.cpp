#include "data/markup/border_placement.h"

#include <algorithm>
#include <cmath>

#include "data/markup/text_words.h"

namespace calque {

std::vector<size_t> border_tags(const MarkedText& source) {
  std::vector<size_t> borders;
  for (size_t i = 0; i < source.tags.size(); ++i) {
    if (source.tags[i].role == TagRole::border) borders.push_back(i);
  }
  return borders;
}

std::vector<size_t> words_before_borders(const MarkedText& source, std::string_view translation,
                                         const std::vector<TextRange>& words) {
  constexpr double behind_mark = 6;  // bytes that it counts as nearer
  std::vector<size_t> places;        // words that may begin a part
  for (size_t t = 1; t < words.size(); ++t) {
    if (words[t - 1].end < words[t].begin) places.push_back(t);
  }
  const double scale = static_cast<double>(translation.size()) /
                       std::max(1.0, static_cast<double>(source.text.size()));
  const std::vector<size_t> borders = border_tags(source);
  std::vector<size_t> ends;
  size_t next = 0;
  for (size_t i = 0; i < borders.size(); ++i) {
    if (next >= places.size()) {
      ends.push_back(words.size());
      continue;
    }
    const size_t left = borders.size() - i - 1;
    const size_t last = places.size() > next + left ? places.size() - left : places.size();
    const double ideal = static_cast<double>(source.tags[borders[i]].at) * scale;
    const auto cost = [&](size_t place) {
      const TextRange& before = words[place - 1];
      const double distance = std::abs(static_cast<double>(before.end) - ideal);
      return distance - (is_mark(before.of(translation)) ? behind_mark : 0);
    };
    const auto begin = places.begin() + static_cast<int64_t>(next);
    const auto best =
        std::ranges::min_element(begin, places.begin() + static_cast<int64_t>(last), {}, cost);
    ends.push_back(*best);
    next = static_cast<size_t>(best - places.begin()) + 1;
  }
  return ends;
}

}  // namespace calque
