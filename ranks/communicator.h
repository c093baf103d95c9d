#pragma once
// Several processes that train one run together. A rank is one of them, numbered from 0; the number
// of ranks is a power of two. All communication uses one call, exchange(), so a backend is small:
// processes that MPI started (mpi_ranks.cpp), a single rank, or threads of one process for tests
// (tests/support/thread_ranks.h).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace calque {

// The traffic of a rank since the construction of its Communicator.
struct Traffic {
  int64_t bytes = 0;   // sent
  double seconds = 0;  // spent in exchange(), including the wait for other ranks

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

  // Sends `out` to the partner and receives `in` from the partner, which calls exchange() at the
  // same time with the sizes swapped. `out` or `in` may be empty.
  void exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in);
  const Traffic& traffic() const { return traffic_; }

  // The machine that this rank runs on.
  virtual std::string host() const = 0;

  // Sets the training step that a message about a lost rank names.
  virtual void at_step(int64_t) {}

  // Starts to watch the other ranks: if a rank ends, or does not answer for the time `deadline`,
  // the others end with a line that names the lost rank. `stopping` returns whether this process
  // has been asked to stop; it must be callable from any thread.
  virtual void watch(std::chrono::seconds /*deadline*/, std::function<bool()> /*stopping*/) {}

  // Ends all ranks at once, with a line on stderr and exit status 1. Writes nothing else.
  [[noreturn]] virtual void abort(const std::string& line) = 0;

  // Whether this is rank 0, which writes the folder of the run and the output of all ranks.
  bool is_rank_zero() const { return rank() == 0; }

 private:
  // The implementation of exchange().
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
