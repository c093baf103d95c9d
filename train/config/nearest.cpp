// Keeps three rows of the table, because a swap needs the row before the previous one.
#include "train/config/nearest.h"

#include <algorithm>
#include <utility>

#include "data/text/lowercase.h"

namespace calque {

std::string bare_word(std::string_view word) {
  std::string bare;
  for (const char c : ascii_lowercase(word)) {
    if (c != '-' && c != '_' && c != '.' && c != ' ') bare += c;
  }
  return bare;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before_last, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  before_last = last;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr size_t longest = 64;  // longer than any known word
  const std::string bare = bare_word(word);
  if (bare.empty() || bare.size() > longest) return {};
  std::string_view best;
  int best_distance = static_cast<int>(std::max<size_t>(1, bare.size() / 3)) + 1;
  for (const std::string_view candidate : known) {
    const int distance = edit_distance(bare, bare_word(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace calque
