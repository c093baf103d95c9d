#include "decode/beam.h"

#include <algorithm>

#include "data/vocabulary.h"

namespace calque {
namespace {

bool better(const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }

}  // namespace

Beam::Beam(const SearchOptions& options, const DecodingItem& item)
    : options_(options), item_(item) {
  item_.longest = std::max(item_.longest, std::ssize(item_.prefix));
  if (options_.beam == 1) options_.stop = SearchOptions::Stop::first;  // greedy
}

void Beam::finish(std::vector<int32_t> ids, double log_probability, bool ended, int32_t node) {
  const auto length = static_cast<int64_t>(ids.size()) + (ended ? 1 : 0);
  const double scored = hypothesis_score(options_, log_probability, std::max<int64_t>(1, length));
  const Hypothesis hypothesis{std::move(ids), log_probability, scored, node, ended};
  finished_.insert(std::ranges::upper_bound(finished_, hypothesis, better), hypothesis);
}

// Adds a hypothesis of this length, </s> included, to the trace; -1 without a trace.
int32_t Beam::note(int32_t parent, const NextToken& added, int64_t length, double log_probability) {
  if (!options_.trace) return -1;
  options_.trace->push_back(
      {parent, added.id, static_cast<float>(log_probability),
       static_cast<float>(hypothesis_score(options_, log_probability, length)), BeamFate::pruned});
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
    const int64_t kindest = options_.length_penalty > 0 ? item_.longest + 1 : next;
    return hypothesis_score(options_, hypothesis.log_probability, kindest) <= worst_kept;
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

std::vector<Hypothesis> Beam::result() const {
  const auto count =
      std::min(finished_.size(), static_cast<size_t>(std::max<int64_t>(1, options_.n_best)));
  std::vector<Hypothesis> best(finished_.begin(), finished_.begin() + static_cast<int64_t>(count));
  if (best.empty()) best.emplace_back();
  return best;
}

}  // namespace calque
