#include "decode/search/beam.h"

#include <algorithm>
#include <map>

#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// Room for hypotheses with each number of required tokens.
int64_t width_for(const RequiredPhrases& required) {
  constexpr int64_t most = 32;
  return std::min(most, 2 * (required.tokens() + 1));
}

}  // namespace

Beam::Beam(const SearchOptions& options, const DecodingItem& item)
    : options_(options), item_(item) {
  item_.longest = std::max(item_.longest, std::ssize(item_.prefix));
  if (item_.required) {
    options_.beam = std::max(options_.beam, width_for(*item_.required));
    if (options_.stop == SearchOptions::Stop::optimal) options_.stop = SearchOptions::Stop::first;
  }
  if (options_.beam == 1) options_.stop = SearchOptions::Stop::first;  // greedy
}

std::vector<NextToken> Beam::candidates(const Live& hypothesis, std::span<real> scores) const {
  const ScoreRow row(scores);
  const real log_sum = row.finite_log_sum();
  forbid_tokens(item_, options_, hypothesis.ids, scores);
  if (!item_.required) return row.best(2 * options_.beam, log_sum);
  const RequiredPhrases::Progress progress = item_.required->progress(hypothesis.ids);
  item_.required->forbid_tokens(progress, hypothesis.ids, scores);
  std::vector<NextToken> best = row.best(2 * options_.beam, log_sum);
  for (const int32_t id : progress.next) {
    if (scores[id] == minus_infinity || std::ranges::count(best, id, &NextToken::id) > 0) continue;
    best.push_back({id, scores[id] - log_sum});
  }
  return best;
}

// The required tokens of a continued hypothesis.
int64_t Beam::written_phrases(const Live& parent, int32_t id) const {
  std::vector<int32_t> ids = parent.ids;
  if (id != end_id) ids.push_back(id);
  return item_.required->progress(ids).tokens;
}

void Beam::finish(std::vector<int32_t> ids, double log_probability, bool ended, int32_t node) {
  const auto length = std::ssize(ids) + (ended ? 1 : 0);
  const double scored = hypothesis_score(options_, log_probability, std::max<int64_t>(1, length));
  const auto place =
      std::ranges::upper_bound(finished_, scored, std::greater<>(), &Hypothesis::score);
  finished_.insert(place, {std::move(ids), log_probability, scored, node, ended});
}

// Adds a hypothesis to the trace. Returns its index, or -1 if there is no trace. `length` includes
// the added token, also if it is </s>.
int32_t Beam::note(int32_t parent, const NextToken& added, int64_t length, double log_probability) {
  if (!options_.trace) return -1;
  options_.trace->push_back(
      {parent, added.id, static_cast<float>(log_probability),
       static_cast<float>(hypothesis_score(options_, log_probability, length)), BeamFate::pruned});
  return static_cast<int32_t>(options_.trace->size()) - 1;
}

void Beam::mark(int32_t node, BeamFate fate) {
  if (node >= 0) (*options_.trace)[node].fate = fate;
}

// Whether the stop rule ends the search. Stop::optimal ends it if no live hypothesis can still be
// among the n best. A log-probability can only fall, so the upper bound of a hypothesis's future
// score is its present log-probability, scored at the longest length, or at the next length if
// length_penalty <= 0.
bool Beam::decided() const {
  const int64_t count = std::ssize(finished_);
  if (options_.stop == SearchOptions::Stop::first || options_.stop == SearchOptions::Stop::narrow) {
    return count >= options_.beam;
  }
  if (options_.stop == SearchOptions::Stop::never || count < options_.n_best) return false;
  const double worst_kept = finished_[options_.n_best - 1].score;
  return std::ranges::all_of(live_, [&](const Live& hypothesis) {
    const int64_t length =
        options_.length_penalty > 0 ? item_.longest + 1 : std::ssize(hypothesis.ids) + 1;
    return hypothesis_score(options_, hypothesis.log_probability, length) <= worst_kept;
  });
}

// All candidates, best first. With required phrases, the best of each number of required tokens
// that are written, beginning with the most tokens, then the second of each, and so on.
std::vector<Beam::Candidate> Beam::ranked(
    const std::vector<std::vector<NextToken>>& candidates) const {
  std::vector<Candidate> all;
  for (size_t parent = 0; parent < live_.size(); ++parent) {
    for (const auto& [id, log_probability] : candidates[parent]) {
      all.push_back({live_[parent].log_probability + double(log_probability), parent, id});
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &Candidate::log_probability);
  if (!item_.required) return all;
  std::map<int64_t, std::vector<Candidate>, std::greater<>> banks;
  for (const Candidate& each : all) {
    banks[written_phrases(live_[each.parent], each.id)].push_back(each);
  }
  std::vector<Candidate> in_turns;
  for (size_t rank = 0; in_turns.size() < all.size(); ++rank) {
    for (const auto& [tokens, bank] : banks) {
      if (rank < bank.size()) in_turns.push_back(bank[rank]);
    }
  }
  return in_turns;
}

void Beam::advance(const std::vector<std::vector<NextToken>>& candidates, int32_t first_row) {
  const std::vector<Candidate> all = ranked(candidates);
  const bool narrow = options_.stop == SearchOptions::Stop::narrow;
  const auto width = static_cast<size_t>(options_.beam) - (narrow ? finished_.size() : 0);
  std::vector<Live> next;
  for (size_t rank = 0; rank < all.size() && (next.size() < width || rank < 2 * width); ++rank) {
    const Candidate& candidate = all[rank];
    const Live& parent = live_[candidate.parent];
    const int32_t node =
        note(parent.node, {candidate.id, 0}, std::ssize(parent.ids) + 1, candidate.log_probability);
    if (next.size() == width || (narrow && rank >= width)) continue;  // pruned
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
  if (live_.empty() && finished_.empty()) {  // the rules forbid every continuation
    for (const Live& cut : next) finish(cut.ids, cut.log_probability, false, cut.node);
  }
  if (decided()) live_.clear();
}

std::vector<Hypothesis> Beam::result() const {
  std::vector<Hypothesis> best = finished_;
  best.resize(std::clamp<size_t>(best.size(), 1, options_.n_best));
  return best;
}

}  // namespace calque
