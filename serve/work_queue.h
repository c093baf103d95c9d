#pragma once
// What waits to be computed, and the thread that computes it on all cores. Sentences of several
// requests are translated together: the queue starts at once when it is idle, and otherwise takes
// what has come in the meantime, a sentence of each request in turn, up to a number of tokens. So a
// long document delays a short request by one batch at most.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace calque {

// Sentences of one request, or one other thing to compute.
struct QueuedWork {
  // Translates sentences, those of several works with an equal `group` at once.
  using Translate =
      std::function<std::vector<std::vector<std::string>>(std::span<const std::string> sentences)>;

  std::string group;  // empty: computed alone by `compute`
  Translate translate;
  std::vector<std::string> sentences;
  std::vector<int64_t> tokens;  // of each sentence
  // Gets the translations of each sentence, best first.
  std::function<void(std::vector<std::vector<std::string>>)> done;

  std::function<void()> compute;
  int64_t cost = 1;  // of `compute`, in tokens

  std::function<void(const std::string&)> failed;  // with an Error's message
  std::function<bool()> cancelled;
};

class WorkQueue {
 public:
  struct Observer {  // called on the thread that computes
    std::function<void(double seconds)> waited;
    std::function<void(size_t sentences)> batch;
  };

  // The most tokens that wait, and of one batch.
  WorkQueue(int64_t capacity, int64_t batch_tokens, Observer observer = {});
  // Computes what waits first.
  ~WorkQueue();

  // Returns false if the queue is full. Work that is larger than the whole queue is taken when the
  // queue is empty.
  bool add(QueuedWork work);
  int64_t waiting_tokens() const;

 private:
  struct Entry {
    QueuedWork work;
    int64_t waiting = 0;  // tokens
    size_t next = 0;      // the first sentence that is not taken yet
    std::vector<std::vector<std::string>> results = {};
    std::chrono::steady_clock::time_point since;
    bool started = false;
  };
  struct Taken {
    std::list<Entry>::iterator entry;
    size_t sentence;
  };
  using Lock = std::unique_lock<std::mutex>;

  void run();
  void drop_cancelled();
  void note_start(Entry& entry);
  void compute_alone(Lock& lock);
  std::vector<Taken> take_batch();
  void translate_batch(Lock& lock);
  void remove(std::list<Entry>::iterator entry);

  const int64_t capacity_, batch_tokens_;
  const Observer observer_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> entries_;  // the next to be served first
  int64_t waiting_ = 0;       // tokens
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace calque
