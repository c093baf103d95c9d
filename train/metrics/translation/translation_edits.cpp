// Tercom's greedy search for shifts, which defines TER. Only misplaced words are shifted, to a
// position where the reference has the same words and the hypothesis has other words. A shifted
// sequence has at most 10 words and moves by at most 50 positions. The search ends when 1000 shifts
// of a segment have been tried.
#include <algorithm>
#include <tuple>

#include "train/metrics/translation/edit_distance.h"
#include "train/metrics/translation/ter.h"

namespace calque {
namespace {

constexpr size_t longest_shift = 10, farthest_shift = 50;
constexpr int most_tries = 1000;

// How the words of hypothesis and reference correspond, according to the edits between them.
struct Alignment {
  // For each reference word, the position of its hypothesis word, or of the last hypothesis word
  // before it; -1 if there is none.
  std::vector<int64_t> position;
  std::vector<int> hypothesis_errors, reference_errors;  // the number among the words before

  explicit Alignment(const std::vector<Edit>& edits) : hypothesis_errors{0}, reference_errors{0} {
    int64_t at = -1;
    for (const Edit edit : edits) {
      const int wrong = edit == Edit::keep ? 0 : 1;
      if (edit != Edit::insert) {
        ++at;
        hypothesis_errors.push_back(hypothesis_errors.back() + wrong);
      }
      if (edit != Edit::remove) {
        position.push_back(at);
        reference_errors.push_back(reference_errors.back() + wrong);
      }
    }
  }

  // Whether both sequences contain errors, and the goal is not within the shifted sequence.
  bool invites_shift(size_t from, size_t to, size_t length) const {
    const auto start = static_cast<int64_t>(from), end = static_cast<int64_t>(from + length);
    return hypothesis_errors[from] != hypothesis_errors[from + length] &&
           reference_errors[to] != reference_errors[to + length] &&
           !(start <= position[to] && position[to] < end);
  }
};

using Words = std::vector<int32_t>;

// Moves the `length` words that begin at `from` to before the word at `to`. If `to` is within or
// right after these words, moves them `to` - `from` positions to the right.
Words shifted(const Words& words, size_t from, size_t length, size_t to) {
  Words result = words;
  const auto at = [&](size_t index) {
    return result.begin() + static_cast<std::ptrdiff_t>(std::min(index, words.size()));
  };
  if (to < from) {
    std::rotate(at(to), at(from), at(from + length));
  } else if (to > from + length) {
    std::rotate(at(from), at(from + length), at(to));
  } else {
    std::rotate(at(from), at(from + length), at(length + to));
  }
  return result;
}

class ShiftSearch {
 public:
  ShiftSearch(std::span<const int32_t> hypothesis, std::span<const int32_t> reference)
      : words_(hypothesis.begin(), hypothesis.end()),
        reference_(reference),
        table_(reference, hypothesis.size()) {}

  int64_t edits() {
    int64_t shifts = 0;
    while (shift_once()) ++shifts;
    return shifts + table_.distance(words_);
  }

 private:
  struct Candidate {
    int64_t saved = 0;
    size_t length = 0, from = 0, to = 0;
    Words words;

    // Prefers the most edits saved, then the longest sequence, then the earliest sequence, then the
    // earliest goal.
    bool is_better_than(const Candidate& other) const {
      return std::tuple(saved, length, other.from, other.to) >
             std::tuple(other.saved, other.length, from, to);
    }
  };

  // Makes the best shift, if there is one that saves edits.
  bool shift_once() {
    distance_ = table_.distance(words_);
    const Alignment alignment(table_.edits());
    best_ = {};
    found_ = false;
    try_all(alignment);
    if (tries_ >= most_tries || !found_ || best_.saved <= 0) return false;
    words_ = best_.words;
    return true;
  }

  void try_all(const Alignment& alignment) {
    for (size_t from = 0; from < words_.size(); ++from) {
      const size_t first = from - std::min(from, farthest_shift);
      const size_t last = std::min(reference_.size(), from + farthest_shift + 1);
      for (size_t goal = first; goal < last; ++goal) {
        const size_t limit =
            std::min({longest_shift, words_.size() - from, reference_.size() - goal});
        for (size_t length = 1; length <= limit; ++length) {
          if (words_[from + length - 1] != reference_[goal + length - 1]) break;
          if (!alignment.invites_shift(from, goal, length)) continue;
          try_goals(alignment, from, goal, length);
          if (tries_ >= most_tries) return;
        }
      }
    }
  }

  // Tries the positions after the word before the goal, and after each word of the goal.
  void try_goals(const Alignment& alignment, size_t from, size_t goal, size_t length) {
    int64_t previous = -1;
    for (size_t behind = 0; behind <= length; ++behind) {
      const size_t word = goal + behind;  // counted from 1, so that 0 is the start
      const int64_t to = word == 0 ? 0 : alignment.position[word - 1] + 1;
      if (to == previous) continue;
      previous = to;
      ++tries_;
      Candidate candidate{0, length, from, static_cast<size_t>(to),
                          shifted(words_, from, length, static_cast<size_t>(to))};
      candidate.saved = distance_ - table_.distance(candidate.words);
      if (!found_ || candidate.is_better_than(best_)) best_ = std::move(candidate);
      found_ = true;
    }
  }

  Words words_;
  std::span<const int32_t> reference_;
  EditTable table_;
  int64_t distance_ = 0;
  int tries_ = 0;
  bool found_ = false;
  Candidate best_;
};

}  // namespace

int64_t translation_edits(std::span<const int32_t> hypothesis, std::span<const int32_t> reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  return ShiftSearch(hypothesis, reference).edits();
}

}  // namespace calque
