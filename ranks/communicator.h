#pragma once
// Several processes that train one run together. A rank is one of them, numbered from 0; their
// number is a power of two. Everything that ranks tell each other is made of one call, exchange(),
// so a backend is small: processes that MPI started (mpi_ranks.h), threads of one process for tests
// (thread_ranks.h), or a single rank.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace calque {

// What a rank has exchanged since it was made.
struct Traffic {
  int64_t bytes = 0;   // sent
  double seconds = 0;  // spent on it, waiting for other ranks included

  Traffic operator-(const Traffic& earlier) const {
    return {bytes - earlier.bytes, seconds - earlier.seconds};
  }
  Traffic operator+(const Traffic& more) const {
    return {bytes + more.bytes, seconds + more.seconds};
  }
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  // Sends `out` to the partner and receives `in` from it, who calls it at the same time with the
  // sizes swapped. Either may be empty.
  void exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in);
  const Traffic& traffic() const { return traffic_; }

  // The machine that this rank runs on.
  virtual std::string host() const = 0;

  // For messages about a rank that does not answer: the step that training is at.
  virtual void at_step(int64_t) {}

  // From now on watches the other ranks: if one of them has ended, or has not answered for the time
  // of `deadline`, the others end with a line that names it. `stopping` returns whether this
  // process has been asked to stop, and may be called from any thread.
  virtual void watch(std::chrono::seconds /*deadline*/, std::function<bool()> /*stopping*/) {}

  // Ends all ranks at once, with a line on stderr and exit status 1. Writes nothing more.
  [[noreturn]] virtual void abort(const std::string& line) = 0;

  // Rank 0 writes the run's folder and speaks for all.
  bool speaks() const { return rank() == 0; }

 private:
  // exchange() of a backend.
  virtual void send_and_receive(int partner, std::span<const std::byte> out,
                                std::span<std::byte> in) = 0;

  Traffic traffic_;
};

// The only rank of a run in a single process.
class OneRank final : public Communicator {
 public:
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  std::string host() const override;
  [[noreturn]] void abort(const std::string& line) override;

 private:
  void send_and_receive(int partner, std::span<const std::byte> out,
                        std::span<std::byte> in) override;
};

OneRank& only_rank();

// The name of this machine.
std::string host_name();

}  // namespace calque
