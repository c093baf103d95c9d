#pragma once
// The thread that generates the texts of all requests to one language model, together: a request
// joins at the next token, and leaves when its texts end or its client disconnects.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "decode/models/prefix_cache.h"
#include "train/tasks/language_model/generation_batch.h"
#include "train/tasks/language_model/run.h"

namespace calque {

class Generator {
 public:
  struct Options {
    int64_t capacity = 0;      // the most tokens of unfinished requests, prompts included
    int64_t prefix_bytes = 0;  // the memory for keys and values of prompts
  };
  // `waited` gets the time of each request in the queue. The run must outlive this.
  Generator(const LanguageModelRun& run, const Options& options,
            std::function<void(double seconds)> waited);
  // First ends all requests.
  ~Generator();

  // Returns false if too much is unfinished. A request that is larger than the capacity is taken
  // when there is no other. Its functions are called on the thread that generates.
  bool add(GenerationRequest request);
  int64_t unfinished_tokens() const { return *unfinished_; }
  PrefixCache::Counts prefixes() const { return cache_.counts(); }

 private:
  void run();
  bool take_added(GenerationBatch& batch, bool wait);

  const LanguageModelRun& run_;
  const Options options_;
  const std::function<void(double)> waited_;
  PrefixCache cache_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<GenerationRequest> added_;
  bool ending_ = false;
  std::shared_ptr<std::atomic<int64_t>> unfinished_;  // tokens; shared with the requests
  std::thread thread_;                                // last: it uses the others
};

}  // namespace calque
