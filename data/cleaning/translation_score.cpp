#include "data/cleaning/translation_score.h"

#include <algorithm>
#include <cmath>

#include "core/median.h"
#include "data/files/content_hash.h"
#include "data/text/lowercase.h"
#include "data/text/words.h"

namespace calque {
namespace {

constexpr int64_t most_cells = int64_t{1} << 24;  // products of the numbers of words

// Hashes of the words in lower case.
std::vector<uint32_t> word_hashes(std::string_view text) {
  std::vector<uint32_t> words;
  for (const TextRange& range : word_ranges(text)) {
    words.push_back(static_cast<uint32_t>(content_hash(lowercase(range.of(text)))));
  }
  return words;
}

}  // namespace

void TranslationSample::add(std::string_view source, std::string_view target) {
  if (offered_++ % distance_ != 0) return;
  std::array<Words, 2> pair = {word_hashes(source), word_hashes(target)};
  cells_ += std::ssize(pair[0]) * std::ssize(pair[1]);
  pairs_.push_back(std::move(pair));
  if (cells_ > most_cells) thin_out();
}

void TranslationSample::thin_out() {
  cells_ = 0;
  size_t kept = 0;
  for (size_t i = 0; i < pairs_.size(); i += 2) {
    cells_ += std::ssize(pairs_[i][0]) * std::ssize(pairs_[i][1]);
    pairs_[kept++].swap(pairs_[i]);
  }
  pairs_.resize(kept);
  distance_ *= 2;
}

TranslationScore::Ids TranslationScore::Side::ids_of(const TranslationSample::Words& words) const {
  Ids found;
  for (const uint32_t word : words) {
    if (const auto at = ids.find(word); at != ids.end()) found.push_back(at->second);
  }
  return found;
}

// A rare word would be explained by the words of the very pair that is judged.
TranslationScore::Side TranslationScore::side_of(const TranslationSample& sample, int column) {
  constexpr int64_t enough = 5;
  std::unordered_map<uint32_t, int64_t> counts;
  int64_t all = 0;
  for (const auto& pair : sample.pairs_) {
    for (const uint32_t word : pair[column]) ++counts[word];
    all += std::ssize(pair[column]);
  }
  Side side;
  for (const auto& [word, count] : counts) {
    if (count < enough) continue;
    side.ids.emplace(word, static_cast<int32_t>(side.frequencies.size()));
    side.frequencies.push_back(static_cast<double>(count) / static_cast<double>(all));
  }
  return side;
}

TranslationScore::TranslationScore(const TranslationSample& sample)
    : sides_{side_of(sample, 0), side_of(sample, 1)} {
  std::vector<std::array<Ids, 2>> ids;
  for (const auto& pair : sample.pairs_) {
    ids.push_back({sides_[0].ids_of(pair[0]), sides_[1].ids_of(pair[1])});
  }
  for (const int from : {0, 1}) {
    std::vector<AlignedIds> pairs;
    for (const auto& pair : ids) pairs.push_back({pair[from], pair[1 - from]});
    translations_[from].emplace(pairs);
  }
  measure(ids);
}

// The probabilities are smoothed with the frequencies, so that few occurrences prove little.
double TranslationScore::explained(const Ids& given, const Ids& words, int from) const {
  constexpr double doubt = 100;
  const WordTranslations& table = *translations_[from];
  double sum = 0;
  for (const int32_t word : words) {
    const double frequency = sides_[1 - from].frequencies[word];
    double probability = table.probability_of_none(word);
    for (const int32_t other : given) {
      const double count = table.count(other);
      probability += (count * table.probability(other, word) + doubt * frequency) / (count + doubt);
    }
    sum += std::log(probability / static_cast<double>(given.size() + 1) / frequency);
  }
  return sum / static_cast<double>(words.size());
}

std::optional<double> TranslationScore::of_ids(const std::array<Ids, 2>& ids) const {
  if (ids[0].empty() || ids[1].empty()) return std::nullopt;
  return std::min(explained(ids[0], ids[1], 0), explained(ids[1], ids[0], 1));
}

std::optional<double> TranslationScore::of(std::string_view source, std::string_view target) const {
  return of_ids({sides_[0].ids_of(word_hashes(source)), sides_[1].ids_of(word_hashes(target))});
}

void TranslationScore::measure(const std::vector<std::array<Ids, 2>>& sample) {
  std::vector<double> scores;
  for (const auto& pair : sample) {
    if (const auto score = of_ids(pair)) scores.push_back(*score);
  }
  usual_ = median(std::move(scores));
}

}  // namespace calque
