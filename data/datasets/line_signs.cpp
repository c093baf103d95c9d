#include "data/datasets/line_signs.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "data/text/regex.h"
#include "data/text/script.h"

namespace calque {
namespace {

constexpr size_t places_shown = 3;

}  // namespace

bool has_markup(std::string_view text) {
  static const Regex pattern(
      R"(</?[A-Za-z][^<>]*>|&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9A-Fa-f]+);)");
  return text.find_first_of("<&") != text.npos && pattern.find(text).has_value();
}

// The bytes C3 A4 of U+00E4 become the characters U+00C3 U+00A4; those of a typographic quote, E2
// 80 99, become U+00E2 and U+0080 or, in Windows-1252, the euro sign.
bool has_mojibake(std::string_view text) {
  static const Regex pattern(
      R"([\x{C2}\x{C3}][\x{80}-\x{BF}\x{152}\x{153}\x{160}\x{161}\x{178}\x{17D}\x{17E}\x{192}\x{2020}-\x{2022}\x{2030}\x{20AC}\x{2122}])"
      R"(|\x{E2}[\x{80}-\x{9F}\x{201A}\x{20AC}]|\x{FFFD})");
  return pattern.find(text).has_value();
}

void Sightings::add(const Corpus& corpus, int64_t index, int column) {
  if (count++ < static_cast<int64_t>(places_shown)) first.push_back(corpus.where(index, column));
}

std::string Sightings::places() const {
  return first.empty() ? "" : fmt::format(" (first: {})", fmt::join(first, ", "));
}

void ScriptCount::add(std::string_view text, const Corpus& corpus, int64_t index, int column) {
  const std::string_view script = main_script(text);
  if (!script.empty()) lines_[script].add(corpus, index, column);
}

std::string_view ScriptCount::usual() const {
  const auto most =
      std::ranges::max_element(lines_, {}, [](const auto& each) { return each.second.count; });
  return most == lines_.end() ? "" : most->first;
}

Sightings ScriptCount::others() const {
  int64_t all = 0;
  for (const auto& [script, lines] : lines_) all += lines.count;
  Sightings rare;
  for (const auto& [script, lines] : lines_) {
    if (lines.count * 20 >= all) continue;
    rare.count += lines.count;
    rare.first.insert(rare.first.end(), lines.first.begin(), lines.first.end());
  }
  rare.first.resize(std::min(rare.first.size(), places_shown));
  return rare;
}

}  // namespace calque
