#include "support/thread_ranks.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/error.h"

namespace calque {
namespace {

// The bytes that a rank sends to a partner, pending until the partner has copied them.
struct Offer {
  std::span<const std::byte> bytes;
  bool pending = false;
};

struct Meeting {
  explicit Meeting(int ranks) : count(ranks), offers(static_cast<size_t>(ranks) * ranks) {}
  Offer& offer(int from, int to) { return offers[static_cast<size_t>(from * count + to)]; }

  const int count;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Offer> offers;
  bool failed = false;
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int ranks() const override { return meeting_.count; }
  std::string host() const override { return host_name(); }
  [[noreturn]] void abort(const std::string& line) override { throw Error(line); }

 private:
  void send_and_receive(int partner, std::span<const std::byte> out,
                        std::span<std::byte> in) override {
    std::unique_lock lock(meeting_.mutex);
    Offer& mine = meeting_.offer(rank_, partner);
    Offer& theirs = meeting_.offer(partner, rank_);
    mine = {out, true};
    meeting_.changed.notify_all();
    wait(lock, [&] { return theirs.pending; });
    require(theirs.bytes.size() == in.size(), "exchange: rank {} expects {} bytes of {} from {}",
            rank_, in.size(), theirs.bytes.size(), partner);
    std::ranges::copy(theirs.bytes, in.begin());
    theirs.pending = false;
    meeting_.changed.notify_all();
    wait(lock, [&] { return !mine.pending; });
  }

  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, Condition condition) {
    meeting_.changed.wait(lock, [&] { return meeting_.failed || condition(); });
    if (meeting_.failed) fail("another rank has failed");
  }

  Meeting& meeting_;
  const int rank_;
};

}  // namespace

void run_thread_ranks(int count, const std::function<void(Communicator&)>& body) {
  Meeting meeting(count);
  std::exception_ptr first;
  const auto run = [&](int rank) {
    try {
      ThreadRank communicator(meeting, rank);
      body(communicator);
    } catch (...) {
      const std::scoped_lock lock(meeting.mutex);
      if (!meeting.failed) first = std::current_exception();
      meeting.failed = true;
      meeting.changed.notify_all();
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace calque
