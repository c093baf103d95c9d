#include "core/profile.h"

#include "core/real.h"

namespace calque {
namespace {

thread_local Profile* current_profile = nullptr;
thread_local double total_flops = 0;
thread_local bool work_is_counted = false;

}  // namespace

Profile* Profile::current() { return current_profile; }

Profiling::Profiling(Profile& profile) : before_(std::exchange(current_profile, &profile)) {}
Profiling::~Profiling() { current_profile = before_; }

double Profile::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Profile::mark() {
  mark_ = now();
  counted_ = {};
}

void Profile::count(const Work& work) {
  counted_.flops += work.flops;
  counted_.bytes += work.bytes;
}

void Profile::op_ended(const char* name, Kind kind, int64_t numbers) {
  if (counted_.bytes == 0) counted_.bytes = static_cast<double>(numbers) * sizeof(real);
  const double end = now();
  add({name, kind, mark_, end - mark_, counted_});
  counted_ = {};
  mark_ = now();  // excludes the profile's own time
}

void Profile::add(const Event& event) {
  Sum& sum = sums_[{event.name, event.kind}];
  sum.name = event.name;
  sum.kind = event.kind;
  ++sum.calls;
  sum.seconds += event.seconds;
  sum.work.flops += event.work.flops;
  sum.work.bytes += event.work.bytes;
  if (events_.size() < most_events_) events_.push_back(event);
}

std::vector<Profile::Sum> Profile::sums() const {
  std::vector<Sum> all;
  for (const auto& [key, sum] : sums_) all.push_back(sum);
  return all;
}

Profile::Sum Profile::sum_of(const std::string& name, Kind kind) const {
  const auto found = sums_.find({name, kind});
  return found == sums_.end() ? Sum{name, kind} : found->second;
}

Phase::Phase(const char* name, const Profile::Work& work) : profile_(Profile::current()) {
  if (profile_) event_ = {name, Profile::Kind::phase, profile_->now(), 0, work};
}

Phase::~Phase() {
  if (!profile_) return;
  event_.seconds = profile_->now() - event_.start;
  profile_->add(event_);
}

double counted_flops() { return total_flops; }

void count_work(const Profile::Work& work) {
  if (work_is_counted) return;
  total_flops += work.flops;
  if (current_profile) current_profile->count(work);
}

WorkIsCounted::WorkIsCounted() : before_(std::exchange(work_is_counted, true)) {}
WorkIsCounted::~WorkIsCounted() { work_is_counted = before_; }

}  // namespace calque
