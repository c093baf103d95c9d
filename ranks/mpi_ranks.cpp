// Ranks that are processes of an MPI job. Exchanges wait by polling: a call that blocks inside MPI
// could not be interrupted when another rank is lost, and would keep a processor busy.
#include <mpi.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>

#include "core/error.h"
#include "ranks/collectives.h"
#include "ranks/rank_watch.h"
#include "ranks/start_ranks.h"

namespace calque {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr size_t longest_message = size_t{1} << 30;  // the counts of MPI are of type int

// The pause between two polls: none for the first 30 microseconds, enough for a message that is in
// flight, then longer and longer sleeps. If there are more processes than processors, the scheduler
// prefers a process that wakes from a sleep to a process that only yields.
class Backoff {
 public:
  void wait() {
    const auto waited = Clock::now() - start_;
    if (waited < microseconds(30)) return;
    const auto pause = waited < milliseconds(2)     ? microseconds(20)
                       : waited < milliseconds(500) ? microseconds(100)
                                                    : microseconds(1000);
    std::this_thread::sleep_for(pause);
  }

 private:
  const Clock::time_point start_ = Clock::now();
};

void finish_all(std::span<MPI_Request> requests) {
  int done = 0;
  Backoff backoff;
  while (true) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    backoff.wait();
  }
}

// At most one send to each rank is unfinished. MPI may buffer further heartbeats for a suspended
// rank.
class MpiHeartbeats final : public Heartbeats {
 public:
  explicit MpiHeartbeats(int ranks) : sent_(static_cast<size_t>(ranks), MPI_REQUEST_NULL) {
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
  }

  void send(int to) override {
    MPI_Request& last = sent_[static_cast<size_t>(to)];
    int done = 0;
    MPI_Test(&last, &done, MPI_STATUS_IGNORE);
    if (done != 0) MPI_Isend(&nothing_, 1, MPI_BYTE, to, 0, all_, &last);
  }

  bool receive(int from) override {
    bool any = false;
    for (int pending = 0;; any = true) {
      MPI_Iprobe(from, 0, all_, &pending, MPI_STATUS_IGNORE);
      if (pending == 0) return any;
      char byte = 0;
      MPI_Recv(&byte, 1, MPI_BYTE, from, 0, all_, MPI_STATUS_IGNORE);
    }
  }

  // Receives the heartbeats that are still in flight: MPI requires that every message is received.
  // All ranks must call it; it returns when all have called it. It waits for its own messages only
  // after it has received those of the others, as MPI need not buffer any.
  void finish(int rank) {
    const char last = 1;
    const auto count = static_cast<int>(sent_.size());
    for (int to = 0; to < count; ++to) {
      if (to != rank) MPI_Isend(&last, 1, MPI_BYTE, to, 0, all_, &sent_.emplace_back());
    }
    for (int from = 0; from < count; ++from) {
      for (char byte = 0; from != rank && byte != last;) {
        MPI_Recv(&byte, 1, MPI_BYTE, from, 0, all_, MPI_STATUS_IGNORE);
      }
    }
    finish_all(sent_);
    MPI_Comm_free(&all_);
  }

 private:
  MPI_Comm all_ = MPI_COMM_NULL;
  std::vector<MPI_Request> sent_;
  const char nothing_ = 0;
};

class MpiRanks final : public Communicator {
 public:
  MpiRanks() {
    int provided = 0;
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds by which a sleep may be longer
#endif
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (provided != MPI_THREAD_MULTIPLE) {
      abort("calque: this MPI library has no support for threads (MPI_THREAD_MULTIPLE)");
    }
  }

  // All ranks wait for each other here, and all stop watching before one of them ends.
  ~MpiRanks() override {
    if (std::uncaught_exceptions() > 0) abort("calque: ended by an error");
    if (ranks_ > 1) wait_for_all(*this);
    watch_.reset();
    if (heartbeats_) heartbeats_->finish(rank_);
    MPI_Finalize();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string host() const override { return host_name(); }

  void at_step(int64_t step) override {
    if (watch_) watch_->at_step(step);
  }

  void watch(std::chrono::seconds deadline, std::function<bool()> stopping) override {
    const auto process = static_cast<int64_t>(getpid());
    const std::vector<int64_t> processes = all_gather(*this, std::span(&process, 1));
    const std::vector<std::string> hosts = all_gather_texts(*this, host());
    std::vector<RankProcess> all;
    for (size_t r = 0; r < hosts.size(); ++r) all.push_back({hosts[r], processes[r]});
    heartbeats_.emplace(ranks_);
    watch_.emplace(rank_, std::move(all), *heartbeats_,
                   WatchOptions{.deadline = deadline,
                                .stopping = std::move(stopping),
                                .end = [](const std::string& line) { end_soon("calque: " + line); },
                                .leave = [] { std::_Exit(EXIT_FAILURE); }});
  }

  [[noreturn]] void abort(const std::string& line) override {
    print_line(line);
    end();
  }

 private:
  void send_and_receive(int partner, std::span<const std::byte> out,
                        std::span<std::byte> in) override {
    while (!out.empty() || !in.empty()) {
      std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      const auto taken = in.first(std::min(in.size(), longest_message));
      const auto given = out.first(std::min(out.size(), longest_message));
      if (!taken.empty()) {
        MPI_Irecv(taken.data(), static_cast<int>(taken.size()), MPI_BYTE, partner, 0,
                  MPI_COMM_WORLD, &requests[0]);
      }
      if (!given.empty()) {
        MPI_Isend(given.data(), static_cast<int>(given.size()), MPI_BYTE, partner, 0,
                  MPI_COMM_WORLD, &requests[1]);
      }
      finish_all(requests);
      in = in.subspan(taken.size());
      out = out.subspan(given.size());
    }
  }

  static void print_line(const std::string& line) {
    std::fputs((line + "\n").c_str(), stderr);
    std::fflush(stderr);
  }

  // Sleeps so that the other ranks detect the first lost rank before this process ends too.
  [[noreturn]] static void end_soon(const std::string& line) {
    print_line(line);
    std::this_thread::sleep_for(milliseconds(1500));
    end();
  }

  // MPI_Abort may wait for a rank that does not answer; the alarm limits the wait to 5 seconds.
  [[noreturn]] static void end() {
    std::signal(SIGALRM, [](int) { _exit(EXIT_FAILURE); });
    alarm(5);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::_Exit(EXIT_FAILURE);
  }

  int rank_ = 0, ranks_ = 1;
  std::optional<MpiHeartbeats> heartbeats_;
  std::optional<RankWatch> watch_;
};

}  // namespace

std::unique_ptr<Communicator> mpi_ranks() { return std::make_unique<MpiRanks>(); }

std::string mpi_description() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace calque
