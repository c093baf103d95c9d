#include "train/metrics/translation/degeneration.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "train/metrics/tokenization/characters.h"

namespace calque {
namespace {

using WordViews = std::vector<std::string_view>;

WordViews words_in(std::string_view text) {
  WordViews words;
  split_words(text, words);
  return words;
}

// Whether the `length` words from `begin` on occur `times` times in a row.
bool repeats_at(const WordViews& words, size_t begin, size_t length, size_t times) {
  if (begin + length * times > words.size()) return false;
  for (size_t i = begin + length; i < begin + length * times; ++i) {
    if (words[i] != words[i - length]) return false;
  }
  return true;
}

// The number of words in both texts, each as often as in the one that has it less often.
size_t common_words(const WordViews& a, const WordViews& b) {
  std::map<std::string_view, size_t> left;
  for (const std::string_view word : a) ++left[word];
  size_t common = 0;
  for (const std::string_view word : b) {
    const auto found = left.find(word);
    if (found == left.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  return common;
}

}  // namespace

bool repeats(std::string_view text) {
  constexpr size_t longest = 4, times = 3;
  const WordViews words = words_in(text);
  for (size_t begin = 0; begin < words.size(); ++begin) {
    for (size_t length = 1; length <= longest; ++length) {
      if (repeats_at(words, begin, length, times)) return true;
    }
  }
  return false;
}

bool copies(std::string_view text, std::string_view source) {
  const WordViews words = words_in(text), from = words_in(source);
  const size_t longer = std::max(words.size(), from.size());
  return std::min(words.size(), from.size()) >= 3 && 4 * common_words(words, from) >= 3 * longer;
}

Degeneration degeneration(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& sources,
                          const std::vector<std::string>& references) {
  require(outputs.size() == sources.size() && outputs.size() == references.size(),
          "degeneration: the lists differ in length");
  Degeneration found;
  if (outputs.empty()) return found;
  const double part = 1 / static_cast<double>(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (repeats(outputs[i]) && !repeats(references[i])) found.repeated += part;
    if (copies(outputs[i], sources[i]) && !copies(references[i], sources[i])) found.copied += part;
  }
  return found;
}

}  // namespace calque
