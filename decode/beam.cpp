#include "decode/beam.h"

#include <algorithm>
#include <cmath>

#include "data/vocabulary.h"

namespace calque {
namespace {

constexpr real never = minus_infinity;

int64_t part_of(int64_t length, double ratio) {
  return static_cast<int64_t>(std::ceil(ratio * static_cast<double>(length)));
}

int64_t longest_translation(const SearchOptions& options, int64_t source_length) {
  int64_t longest = part_of(source_length, options.max_length_ratio) + options.max_length_extra;
  if (options.max_length > 0) {
    longest = longest > 0 ? std::min(longest, options.max_length) : options.max_length;
  }
  return std::max({int64_t{1}, options.min_length, longest});
}

// Sets every score to never but one.
void leave_only(int32_t id, std::span<real> scores) {
  const real score = scores[id];
  std::ranges::fill(scores, never);
  scores[id] = score;
}

bool better(const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }

}  // namespace

Beam::Beam(const SearchOptions& options, int64_t source_length, std::vector<int32_t> prefix)
    : options_(options),
      prefix_(std::move(prefix)),
      longest_(std::max(longest_translation(options, source_length), std::ssize(prefix_))) {
  shortest_ =
      std::clamp(part_of(source_length, options.min_length_ratio), options.min_length, longest_);
  if (options_.beam == 1) options_.stop = SearchOptions::Stop::first;  // greedy
  if (options_.sampling) {
    live_.resize(static_cast<size_t>(options_.n_best));
    for (int32_t i = 0; i < std::ssize(live_); ++i) live_[i].sample = i;
  }
}

double Beam::score(double log_probability, int64_t length) const {
  const auto n = static_cast<double>(length);
  switch (options_.penalty) {
    case SearchOptions::Penalty::wu:
      return log_probability / std::pow((5 + n) / 6, options_.length_penalty);
    case SearchOptions::Penalty::power:
      return log_probability / std::pow(n, options_.length_penalty);
    case SearchOptions::Penalty::none:
      break;
  }
  return log_probability;
}

void Beam::constrain(const Live& hypothesis, std::span<real> scores) const {
  const std::vector<int32_t>& ids = hypothesis.ids;
  const auto length = static_cast<int64_t>(ids.size());
  if (length < std::ssize(prefix_)) return leave_only(prefix_[length], scores);
  if (length >= longest_) return leave_only(end_id, scores);
  scores[begin_id] = never;
  if (!options_.allow_unknown) scores[unknown_id] = never;
  if (length < shortest_) scores[end_id] = never;
  const int64_t n = options_.no_repeat_ngram;
  if (n <= 0) return;
  for (int64_t i = 0; i + n <= length; ++i) {  // does ids[i, i + n - 1) stand at the end?
    if (std::equal(ids.begin() + i, ids.begin() + i + n - 1, ids.end() - (n - 1))) {
      scores[ids[i + n - 1]] = never;
    }
  }
}

void Beam::finish(std::vector<int32_t> ids, double log_probability, bool ended, int32_t node) {
  const auto length = static_cast<int64_t>(ids.size()) + (ended ? 1 : 0);
  const double scored = score(log_probability, std::max<int64_t>(1, length));
  const Hypothesis hypothesis{std::move(ids), log_probability, scored, node, ended};
  finished_.insert(std::ranges::upper_bound(finished_, hypothesis, better), hypothesis);
}

// Of a hypothesis of this length, </s> included; -1 when nobody wants to know.
int32_t Beam::note(int32_t parent, const NextToken& added, int64_t length, double log_probability) {
  if (!options_.trace) return -1;
  options_.trace->push_back({parent, added.id, static_cast<float>(log_probability),
                             static_cast<float>(score(log_probability, length)), BeamFate::pruned});
  return static_cast<int32_t>(options_.trace->size()) - 1;
}

void Beam::mark(int32_t node, BeamFate fate) {
  if (node >= 0) (*options_.trace)[static_cast<size_t>(node)].fate = fate;
}

// Whether no live hypothesis can still be among the n best: log-probabilities only fall, and the
// kindest length is the longest (or the present one, when length is not rewarded).
bool Beam::decided() const {
  const auto count = static_cast<int64_t>(finished_.size());
  const int64_t wanted = std::max(options_.n_best, int64_t{1});
  switch (options_.stop) {
    case SearchOptions::Stop::first:
      return count >= options_.beam;
    case SearchOptions::Stop::never:
      return false;
    case SearchOptions::Stop::optimal:
      break;
  }
  if (count < wanted) return false;
  const double worst_kept = finished_[static_cast<size_t>(wanted - 1)].score;
  return std::ranges::all_of(live_, [&](const Live& hypothesis) {
    const auto next = static_cast<int64_t>(hypothesis.ids.size()) + 1;
    const int64_t kindest = options_.length_penalty > 0 ? longest_ + 1 : next;
    return score(hypothesis.log_probability, kindest) <= worst_kept;
  });
}

void Beam::advance(const std::vector<std::vector<NextToken>>& candidates, int32_t first_row) {
  struct Candidate {
    double log_probability;
    size_t parent;
    int32_t id;
  };
  std::vector<Candidate> all;
  for (size_t parent = 0; parent < live_.size(); ++parent) {
    for (const NextToken& next : candidates[parent]) {
      all.push_back(
          {live_[parent].log_probability + double(next.log_probability), parent, next.id});
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &Candidate::log_probability);
  const auto width = static_cast<size_t>(options_.beam);
  std::vector<Live> next;
  for (size_t rank = 0; rank < all.size() && (next.size() < width || rank < 2 * width); ++rank) {
    const Candidate& candidate = all[rank];
    const Live& parent = live_[candidate.parent];
    const int32_t node =
        note(parent.node, {candidate.id, 0}, std::ssize(parent.ids) + 1, candidate.log_probability);
    if (next.size() == width) continue;  // considered, but fell out
    if (candidate.id == end_id) {
      if (rank >= width) continue;
      mark(node, BeamFate::finished);
      finish(parent.ids, candidate.log_probability, true, node);
      continue;
    }
    mark(node, BeamFate::kept);
    Live longer{parent.ids, candidate.log_probability,
                first_row + static_cast<int32_t>(candidate.parent), node};
    longer.ids.push_back(candidate.id);
    next.push_back(std::move(longer));
  }
  std::swap(live_, next);
  if (live_.empty() && finished_.empty()) {  // the options forbid every continuation
    for (const Live& cut : next) finish(cut.ids, cut.log_probability, false, cut.node);
  }
  if (decided()) live_.clear();
}

void Beam::follow(const std::vector<std::optional<NextToken>>& drawn, int32_t first_row) {
  std::vector<Live> next;
  for (size_t i = 0; i < live_.size(); ++i) {
    Live& live = live_[i];
    if (drawn[i]) live.log_probability += double(drawn[i]->log_probability);
    if (!drawn[i] || drawn[i]->id == end_id) {
      finish(live.ids, live.log_probability, drawn[i].has_value());
      continue;
    }
    live.ids.push_back(drawn[i]->id);
    live.row = first_row + static_cast<int32_t>(i);
    next.push_back(std::move(live));
  }
  live_ = std::move(next);
}

std::vector<Hypothesis> Beam::result() const {
  const auto count =
      std::min(finished_.size(), static_cast<size_t>(std::max<int64_t>(1, options_.n_best)));
  std::vector<Hypothesis> best(finished_.begin(), finished_.begin() + static_cast<int64_t>(count));
  if (best.empty()) best.emplace_back();
  return best;
}

}  // namespace calque
