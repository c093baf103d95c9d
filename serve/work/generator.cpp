#include "serve/work/generator.h"

#include <chrono>
#include <utility>

#include "serve/work/background.h"

namespace calque {
namespace {

int64_t tokens_of(const GenerationRequest& request) {
  int64_t tokens = 0;
  for (const auto& prompt : request.prompts) {
    tokens += std::ssize(prompt) + request.options.max_tokens * request.options.samples;
  }
  return tokens;
}

// Counts tokens as unfinished for as long as a request exists.
std::shared_ptr<void> counted(const std::shared_ptr<std::atomic<int64_t>>& sum, int64_t tokens) {
  *sum += tokens;
  return {nullptr, [sum, tokens](void*) { *sum -= tokens; }};
}

}  // namespace

Generator::Generator(const LanguageModelRun& run, const Options& options,
                     std::function<void(double)> waited)
    : run_(run),
      options_(options),
      waited_(std::move(waited)),
      cache_(options.prefix_bytes),
      unfinished_(std::make_shared<std::atomic<int64_t>>(0)),
      thread_([this] { this->run(); }) {}

Generator::~Generator() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Generator::add(GenerationRequest request) {
  {
    const std::lock_guard lock(mutex_);
    const int64_t tokens = tokens_of(request);
    if (*unfinished_ > 0 && *unfinished_ + tokens > options_.capacity) return false;
    const auto since = std::chrono::steady_clock::now();
    request.begun = [this, since, counted = counted(unfinished_, tokens),
                     begun = std::move(request.begun)] {
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - since;
      if (waited_) waited_(time.count());
      if (begun) begun();
    };
    added_.push_back(std::move(request));
  }
  changed_.notify_one();
  return true;
}

void Generator::run() {
  give_way_to_other_threads();
  GenerationBatch batch(run_.model(), run_.tokenizer, GenerationBatch::Sharing::like_alone,
                        &cache_);
  bool busy = false;
  while (take_added(batch, !busy)) busy = batch.advance();
}

// Adds the new requests to the batch. `wait`: waits for one. Returns false if there is none and the
// generator ends.
bool Generator::take_added(GenerationBatch& batch, bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) {
    changed_.wait(lock, [&] { return ending_ || !added_.empty(); });
    if (added_.empty()) return false;
  }
  std::vector<GenerationRequest> added = std::exchange(added_, {});
  lock.unlock();
  for (GenerationRequest& request : added) {
    const auto failed = request.failed;
    try {
      batch.add(std::move(request));
    } catch (...) {
      failed(std::current_exception());
    }
  }
  return true;
}

}  // namespace calque
