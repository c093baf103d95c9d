#include "data/corpora/filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr std::array<const char*, drop_kinds> phrases = {
    "",          "with an empty side",      "not valid UTF-8",
    "too long",  "of too unequal a length", "seen before",
    "with a NUL"};

}  // namespace

Drop check_text(std::string_view text) {
  const std::optional<size_t> bad = find_invalid_utf8(text);
  if (!bad) return Drop::none;
  return text[*bad] == '\0' ? Drop::nul : Drop::invalid;
}

Verdict check_lengths(std::span<const int64_t> lengths, const FilterOptions& options) {
  // The cause is the first of the longest columns or the last of the shortest columns.
  const auto longest = std::ranges::max_element(lengths);
  auto shortest = lengths.begin();
  for (auto at = lengths.begin(); at != lengths.end(); ++at) {
    if (*at <= *shortest) shortest = at;
  }
  const auto caused_by = [&](auto column, Drop drop) {
    return Verdict{drop, static_cast<int>(column - lengths.begin())};
  };
  if (*shortest == 0) return caused_by(shortest, Drop::empty);
  if (options.max_length > 0 && *longest > options.max_length) {
    return caused_by(longest, Drop::too_long);
  }
  const double ratio = static_cast<double>(*longest) / static_cast<double>(*shortest);
  if (options.max_length_ratio > 0 && ratio > options.max_length_ratio) {
    return caused_by(shortest, Drop::ratio);
  }
  return {};
}

void DropTally::add(Drop reason, const std::string& where) {
  Reason& entry = reasons[static_cast<int>(reason)];
  if (entry.count++ == 0) entry.first = where;
}

int64_t DropTally::total() const {
  int64_t sum = 0;
  for (const Reason& reason : reasons) sum += reason.count;
  return sum;
}

std::string DropTally::text(int columns) const {
  std::string out;
  for (int i = 1; i < drop_kinds; ++i) {
    const Reason& reason = reasons[i];
    if (reason.count == 0) continue;
    if (!out.empty()) out += ", ";
    const bool no_sides = columns == 1 && static_cast<Drop>(i) == Drop::empty;
    out += fmt::format("{} {} (first: {})", reason.count, no_sides ? "empty" : phrases[i],
                       reason.first);
  }
  return out.empty() ? "none" : out;
}

}  // namespace calque
