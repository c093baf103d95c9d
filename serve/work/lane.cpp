#include "serve/work/lane.h"

#include <utility>

#include "core/error.h"
#include "serve/work/background.h"

namespace calque {
namespace {

// Calls `action`. Returns the message of its exception for the client, or an empty string.
template <class Action>
std::string failure_of(Action&& action) {
  try {
    action();
    return "";
  } catch (...) {
    return message_for_client(std::current_exception());
  }
}

}  // namespace

int64_t QueuedWork::tokens() const {
  if (group.empty()) return cost;
  int64_t total = 0;
  for (const Sentence& sentence : sentences) total += std::ssize(sentence) + 1;
  return total;
}

WorkLane::WorkLane(const Options& options, Observer observer)
    : options_(options), observer_(std::move(observer)), thread_([this] { run(); }) {}

WorkLane::~WorkLane() {
  {
    const Lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool WorkLane::add(QueuedWork work) {
  require(work.group.empty() || !work.sentences.empty(),
          "WorkLane: a work of the group {} has no sentences", work.group);
  {
    const Lock lock(mutex_);
    const int64_t tokens = work.tokens();
    if (unfinished_ > 0 && unfinished_ + tokens > options_.capacity) return false;
    unfinished_ += tokens;
    Entry entry{
        .work = std::move(work), .tokens = tokens, .since = std::chrono::steady_clock::now()};
    entry.results.resize(entry.work.sentences.size());
    entries_.push_back(std::move(entry));
  }
  changed_.notify_one();
  return true;
}

int64_t WorkLane::unfinished_tokens() const {
  const Lock lock(mutex_);
  return unfinished_;
}

void WorkLane::run() {
  if (options_.background) give_way_to_other_threads();
  Lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !entries_.empty(); });
    drop_cancelled();
    if (entries_.empty()) {
      if (ending_) return;
      continue;
    }
    if (entries_.front().work.group.empty()) {
      compute_alone(lock);
    } else {
      translate_batch(lock);
    }
  }
}

std::list<WorkLane::Entry> WorkLane::remove(std::list<Entry>::iterator entry) {
  unfinished_ -= entry->tokens;
  std::list<Entry> removed;
  removed.splice(removed.end(), entries_, entry);
  return removed;
}

void WorkLane::drop_cancelled() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->work.cancelled && entry->work.cancelled()) remove(entry);
    entry = next;
  }
}

void WorkLane::note_start(Entry& entry) {
  if (std::exchange(entry.started, true) || !observer_.waited) return;
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - entry.since;
  observer_.waited(waited.count());
}

void WorkLane::compute_alone(Lock& lock) {
  const auto entry = entries_.begin();
  note_start(*entry);
  lock.unlock();
  const std::string failure = failure_of(entry->work.compute);
  if (!failure.empty()) entry->work.failed(failure);
  lock.lock();
  remove(entry);
}

// Takes at least one sentence. The entries in the group of the first entry take turns, one sentence
// each, until the next sentence does not fit or none is left.
std::vector<WorkLane::Taken> WorkLane::take_batch() {
  std::vector<std::list<Entry>::iterator> members;
  const std::string& group = entries_.front().work.group;
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->work.group == group) members.push_back(entry);
  }
  std::vector<Taken> taken;
  int64_t tokens = 0;
  for (bool more = true; more;) {
    more = false;
    for (const auto& entry : members) {
      if (entry->next == entry->work.sentences.size()) continue;
      const int64_t added = std::ssize(entry->work.sentences[entry->next]) + 1;
      if (!taken.empty() && tokens + added > options_.batch_tokens) return taken;
      taken.push_back({entry, entry->next++});
      tokens += added;
      more = true;
    }
  }
  return taken;
}

void WorkLane::translate_batch(Lock& lock) {
  const std::vector<Taken> taken = take_batch();
  std::vector<QueuedWork::Sentence> sentences;
  for (const auto& [entry, number] : taken) {
    note_start(*entry);
    sentences.push_back(entry->work.sentences[number]);
  }
  if (observer_.batch) observer_.batch(sentences.size());
  const QueuedWork::Translate translate = taken.front().entry->work.translate;
  lock.unlock();
  std::vector<std::vector<std::string>> found;
  const std::string failure = failure_of([&] { found = translate(sentences); });
  lock.lock();
  std::list<Entry> ended;
  for (size_t i = 0; i < taken.size(); ++i) {
    const auto& [entry, number] = taken[i];
    if (failure.empty()) entry->results[number] = std::move(found[i]);
    const bool last = number + 1 == entry->work.sentences.size();
    // An entry that is translated or has failed is removed; one with more sentences moves to the
    // end of the queue.
    if (last || (!failure.empty() && number + 1 == entry->next)) {
      ended.splice(ended.end(), remove(entry));
    } else if (number + 1 == entry->next) {
      entries_.splice(entries_.end(), entries_, entry);
    }
  }
  lock.unlock();
  for (Entry& entry : ended) {
    const std::string problem =
        failure.empty() ? failure_of([&] { entry.work.done(std::move(entry.results)); }) : failure;
    if (!problem.empty()) entry.work.failed(problem);
  }
  ended.clear();
  lock.lock();
}

}  // namespace calque
