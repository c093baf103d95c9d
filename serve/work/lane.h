#pragma once
// A queue of work and the thread that computes it, with parallel loops on all cores. Sentences of
// several requests are translated together. The lane starts at once when it is idle; otherwise it
// takes, up to a number of tokens, one sentence in turn of each request whose group is that of the
// first in the queue. A request with sentences left then moves to the end of the queue, so a long
// text delays a short one by one batch at most.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace calque {

// Sentences of one request, or one other thing to compute.
struct QueuedWork {
  using Sentence = std::vector<int32_t>;  // its tokens
  // Translates sentences, those of several works with an equal `group` at once.
  using Translate =
      std::function<std::vector<std::vector<std::string>>(std::span<const Sentence> sentences)>;

  std::string group = {};  // empty: computed alone by `compute`
  Translate translate = {};
  std::vector<Sentence> sentences = {};  // with a group: at least one
  // Gets the translations of each sentence, best first.
  std::function<void(std::vector<std::vector<std::string>>)> done = {};

  std::function<void()> compute = {};
  int64_t cost = 1;      // of `compute`, in tokens
  bool lengthy = false;  // never in the lane for short work (WorkQueue)

  // Gets the message of an exception that `translate`, `done` or `compute` has thrown.
  std::function<void(const std::string&)> failed = {};
  std::function<bool()> cancelled = {};

  // Of all that is to be computed, </s> of each sentence included.
  int64_t tokens() const;
};

class WorkLane {
 public:
  struct Observer {  // called on the thread that computes
    std::function<void(double seconds)> waited;
    std::function<void(size_t sentences)> batch;
  };
  struct Options {
    int64_t capacity = 0;      // the most tokens of unfinished work
    int64_t batch_tokens = 0;  // of one batch
    bool background = false;   // gives way to the threads of other lanes
  };

  WorkLane(const Options& options, Observer observer);
  // First computes all work that still waits.
  ~WorkLane();

  // Returns false if the lane is full. Work that is larger than the whole lane is taken when the
  // lane is empty.
  bool add(QueuedWork work);
  int64_t unfinished_tokens() const;

 private:
  struct Entry {
    QueuedWork work;
    int64_t tokens = 0;
    size_t next = 0;  // the first sentence that is not taken yet
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
  std::list<Entry> remove(std::list<Entry>::iterator entry);

  const Options options_;
  const Observer observer_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> entries_;  // the next to be served first
  int64_t unfinished_ = 0;    // tokens
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace calque
