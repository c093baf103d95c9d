#include "ranks/communicator.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/error.h"

namespace calque {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown machine";
}

void Communicator::exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in) {
  const auto start = std::chrono::steady_clock::now();
  send_and_receive(partner, out, in);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  traffic_.bytes += std::ssize(out);
  traffic_.seconds += took.count();
}

OneRank& only_rank() {
  static OneRank rank;
  return rank;
}

void OneRank::send_and_receive(int partner, std::span<const std::byte>, std::span<std::byte>) {
  throw Misuse(fmt::format("OneRank: there is no rank {}", partner));
}

std::string OneRank::host() const { return host_name(); }

void OneRank::abort(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  std::_Exit(EXIT_FAILURE);
}

}  // namespace calque
