#include "ranks/start_ranks.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "core/error.h"

namespace calque {

// The variables are set by Open MPI's mpirun, by MPICH's mpirun (and srun --mpi=pmi2), and by srun.
int64_t launched_processes() {
  int64_t most = 1;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* text = std::getenv(name);
    if (text != nullptr) most = std::max<int64_t>(most, std::strtoll(text, nullptr, 10));
  }
  return most;
}

std::unique_ptr<Communicator> start_ranks() {
  if (launched_processes() == 1) return std::make_unique<OneRank>();
  std::unique_ptr<Communicator> ranks = mpi_ranks();
  const auto count = static_cast<unsigned>(ranks->ranks());
  if (!std::has_single_bit(count)) {
    ranks->abort(fmt::format("calque: {} ranks are not a power of two; start {} or {}", count,
                             std::bit_floor(count), std::bit_ceil(count)));
  }
  return ranks;
}

}  // namespace calque
