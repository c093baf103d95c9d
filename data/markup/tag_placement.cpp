#include "data/markup/tag_placement.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "data/markup/border_placement.h"
#include "data/markup/word_pairs.h"

namespace calque {
namespace {

constexpr size_t no_tag = std::string_view::npos;
constexpr int most_nested = 200;

using TakenWords = std::map<size_t, size_t>;  // from the end of a range to its begin

// A tag or a pair of tags with what is between them.
struct TagPart {
  size_t open, close;  // tags; equal for a tag at a place, no_tag for what another text has
  size_t inner_begin = 0, inner_end = 0;  // the tags between them
  WordRange from = {0, 0}, to = {0, 0};
  bool point = false;
};

class TagPlacer {
 public:
  TagPlacer(const MarkedText& source, std::string translation, std::span<const WordLink> links)
      : source_(source), placed_{std::move(translation)}, words_(source, placed_.text, links) {
    find_tags();
  }

  MarkedText place() {
    const std::vector<size_t> borders = border_tags(source_);
    const std::vector<size_t> ends = words_before_borders(source_, placed_.text, words_.target);
    size_t tag = 0;
    WordRange from{0, 0}, to{0, 0};
    for (size_t i = 0; i <= borders.size(); ++i) {
      const bool last = i == borders.size();
      from.end = last ? words_.source.size() : gap_[borders[i]];
      to.end = last ? words_.target.size() : ends[i];
      place_tags(tag, last ? source_.tags.size() : borders[i], from, to, 0);
      if (last) break;
      put(borders[i], words_.end_before(to.end));
      tag = borders[i] + 1;
      from.begin = from.end, to.begin = to.end;
    }
    return std::move(placed_);
  }

 private:
  // Of each tag: the number of words before it, and its partner.
  void find_tags() {
    std::unordered_map<int32_t, size_t> open;
    partner_.assign(source_.tags.size(), no_tag);
    size_t gap = 0;
    for (size_t i = 0; i < source_.tags.size(); ++i) {
      const InlineTag& tag = source_.tags[i];
      while (gap < words_.source.size() && words_.source[gap].end <= tag.at) ++gap;
      gap_.push_back(gap);
      if (tag.pair < 0) continue;
      if (tag.role == TagRole::opening) open[tag.pair] = i;
      const auto found = open.find(tag.pair);
      if (tag.role != TagRole::closing || found == open.end()) continue;
      partner_[i] = found->second;
      partner_[found->second] = i;
    }
  }

  // Places tags that are around words of `from` into the words of `to`.
  void place_tags(size_t first, size_t end, WordRange from, WordRange to, int depth) {
    if (depth == most_nested) {
      for (; first < end; ++first) put(first, words_.begin_of(to.begin));
    }
    std::vector<TagPart> parts = parts_of(first, end, from);
    if (parts.empty()) return;
    place_pairs(parts, from, to);
    TakenWords taken = taken_by(parts);
    for (TagPart& part : parts) {
      if (part.to.begin < part.to.end) continue;
      place_point(part, taken, from, to);
      if (!part.point && words_.spoken(part.from)) take_word(part, taken, to);
    }
    std::ranges::stable_sort(parts, {}, [](const TagPart& part) {
      return std::pair(part.to.begin, part.to.begin < part.to.end);
    });
    for (const TagPart& part : parts) {
      const bool empty = part.to.begin == part.to.end;
      if (part.point) {
        put(part.open, place_of(part));
        continue;
      }
      if (part.open != no_tag)
        put(part.open, empty ? place_of(part) : words_.begin_of(part.to.begin));
      place_tags(part.inner_begin, part.inner_end, part.from, part.to, depth + 1);
      if (part.close != no_tag)
        put(part.close, empty ? place_of(part) : words_.end_before(part.to.end));
    }
  }

  std::vector<TagPart> parts_of(size_t first, size_t end, WordRange from) const {
    std::vector<TagPart> parts;
    size_t i = first;
    for (size_t k = end; k > first; --k) {  // what closes an earlier text
      if (source_.tags[k - 1].role != TagRole::closing || partner_[k - 1] != no_tag) continue;
      parts.push_back({no_tag, k - 1, first, k - 1, {from.begin, gap_[k - 1]}});
      i = k;
      break;
    }
    while (i < end) {
      TagPart part{i, i, i + 1, i + 1, {gap_[i], gap_[i]}, {0, 0}, true};
      if (source_.tags[i].role == TagRole::opening) {
        const bool closed = partner_[i] != no_tag;
        part.close = partner_[i];
        part.inner_end = closed ? partner_[i] : end;
        part.from.end = closed ? gap_[partner_[i]] : from.end;
        part.point = false;
      }
      parts.push_back(part);
      i = part.point || part.close != no_tag ? part.inner_end + (part.point ? 0 : 1) : end;
    }
    return parts;
  }

  // A pair gets the part of the target with the most words of its own, at the cost of those of no
  // pair. Punctuation without a link costs nothing.
  void place_pairs(std::vector<TagPart>& parts, WordRange from, WordRange to) const {
    constexpr int own_word = 3, other_word = 2;
    std::vector<size_t> part_of(from.end - from.begin, no_tag);
    for (size_t i = 0; i < parts.size(); ++i) {
      TagPart& part = parts[i];
      part.to = {to.begin, to.begin};
      if (part.point) continue;
      if (words_.is_whole(part.from, from)) part.to = words_.spoken_part(to, part.from, from);
      for (size_t s = part.from.begin; s < part.from.end; ++s) part_of[s - from.begin] = i;
    }
    std::vector<int> best(parts.size(), 0);
    size_t current = no_tag, begin = 0;
    int sum = 0;
    for (size_t t = to.begin; t < to.end; ++t) {
      const int32_t s = words_.source_of[t];
      if (s < 0 && words_.target_is_mark[t]) continue;
      const bool inside =
          s >= static_cast<int32_t>(from.begin) && s < static_cast<int32_t>(from.end);
      const size_t own = inside ? part_of[static_cast<size_t>(s) - from.begin] : no_tag;
      if (own == no_tag) {
        sum -= other_word;
        continue;
      }
      if (own != current || sum < 0) current = own, sum = 0, begin = t;
      sum += own_word;
      if (sum <= best[own] || words_.is_whole(parts[own].from, from)) continue;
      best[own] = sum;
      parts[own].to = {begin, t + 1};
    }
  }

  // The words of the pairs, ascending. Beside a pair with all words, others have no_tag.
  static TakenWords taken_by(std::vector<TagPart>& parts) {
    TakenWords taken;
    size_t end = 0;
    std::vector<TagPart*> pairs;
    for (TagPart& part : parts) {
      if (part.to.begin < part.to.end) pairs.push_back(&part);
    }
    std::ranges::sort(pairs, {}, [](const TagPart* pair) { return pair->to.begin; });
    for (TagPart* pair : pairs) {
      if (pair->to.begin < end) {
        pair->to = {end, end};
      } else {
        end = pair->to.end;
        taken[end] = pair->to.begin;
      }
    }
    return taken;
  }

  bool is_glued(const TagPart& part) const {
    const size_t tag = part.open != no_tag ? part.open : part.close;
    const size_t gap = gap_[tag];
    return gap > 0 && words_.source[gap - 1].end == source_.tags[tag].at;
  }

  void place_point(TagPart& part, const TakenWords& taken, WordRange from, WordRange to) const {
    const size_t place = free_place(place_beside(part, from, to), taken);
    part.to = {place, place};
  }

  // Behind the word before it if it stood at that word, otherwise before the word behind it.
  size_t place_beside(const TagPart& part, WordRange from, WordRange to) const {
    const size_t gap = part.from.begin;
    if (gap == from.begin) return to.begin;
    if (gap == from.end) return to.end;
    const auto before = words_.target_in(to, gap - 1, true);
    const auto behind = words_.target_in(to, gap, false);
    if (before && (is_glued(part) || !behind)) return *before + 1;
    if (behind) return *behind;
    return to.begin + (gap - from.begin) * (to.end - to.begin) / (from.end - from.begin);
  }

  // The next place that is not within another pair.
  static size_t free_place(size_t place, const TakenWords& taken) {
    const auto other = taken.upper_bound(place);
    if (other == taken.end() || other->second >= place) return place;
    const bool near_begin = place - other->second < other->first - place;
    return near_begin ? other->second : other->first;
  }

  // A pair that had words gets one of no other pair, if there is one at its place.
  void take_word(TagPart& part, TakenWords& taken, WordRange to) const {
    const size_t place = part.to.begin;
    const auto other = taken.upper_bound(place);
    const auto free = [&](size_t t) {
      return t >= to.begin && t < to.end && !words_.target_is_mark[t];
    };
    const bool next_is_free = other == taken.end() || other->second > place;
    if (next_is_free && free(place)) {
      part.to.end = place + 1;
    } else if (place > 0 && !taken.contains(place) && free(place - 1)) {
      part.to.begin = place - 1;
    } else {
      return;
    }
    taken[part.to.end] = part.to.begin;
  }

  size_t place_of(const TagPart& part) const {
    return is_glued(part) ? words_.end_before(part.to.begin) : words_.begin_of(part.to.begin);
  }

  void put(size_t tag, size_t at) {
    InlineTag own = source_.tags[tag];
    own.at = placed_.tags.empty() ? at : std::max(at, placed_.tags.back().at);
    placed_.tags.push_back(std::move(own));
  }

  const MarkedText& source_;
  MarkedText placed_;
  WordPairs words_;
  std::vector<size_t> gap_, partner_;
};

}  // namespace

MarkedText with_placed_tags(const MarkedText& source, std::string translation,
                            std::span<const WordLink> links) {
  if (source.tags.empty()) return {std::move(translation)};
  return TagPlacer(source, std::move(translation), links).place();
}

std::vector<WordLink> even_links(size_t source_words, size_t target_words) {
  std::vector<WordLink> links;
  for (size_t t = 0; t < target_words && source_words > 0; ++t) {
    links.push_back(
        {static_cast<int32_t>(t * source_words / target_words), static_cast<int32_t>(t)});
  }
  return links;
}

}  // namespace calque
