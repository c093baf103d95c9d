#include "ranks/communicator.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "core/error.h"

namespace calque {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown machine";
}

OneRank& only_rank() {
  static OneRank rank;
  return rank;
}

void OneRank::exchange(int partner, std::span<const std::byte>, std::span<std::byte>) {
  throw Misuse(fmt::format("OneRank: there is no rank {}", partner));
}

std::string OneRank::host() const { return host_name(); }

void OneRank::abort(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  std::_Exit(EXIT_FAILURE);
}

}  // namespace calque
