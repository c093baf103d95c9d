#include "serve/work/queue.h"

namespace calque {

WorkQueue::WorkQueue(const Options& options, const WorkLane::Observer& observer)
    : options_(options),
      short_({options.capacity, options.batch_tokens}, observer),
      translations_({options.capacity, options.batch_tokens, true}, observer),
      computations_({options.capacity, options.batch_tokens, true}, observer) {}

bool WorkQueue::add(QueuedWork work) {
  if (!work.lengthy && work.tokens() <= options_.short_tokens) return short_.add(std::move(work));
  return (work.group.empty() ? computations_ : translations_).add(std::move(work));
}

int64_t WorkQueue::unfinished_tokens() const {
  return short_.unfinished_tokens() + translations_.unfinished_tokens() +
         computations_.unfinished_tokens();
}

}  // namespace calque
