// Replaces mpi_ranks.cpp in a build without MPI.
#include "core/error.h"
#include "ranks/start_ranks.h"

namespace calque {

std::unique_ptr<Communicator> mpi_ranks() {
  fail(
      "mpirun or srun has started {} processes, but this calque is built without MPI; install its "
      "development files (libopenmpi-dev) and build again with -DCALQUE_MPI=ON",
      launched_processes());
}

std::string mpi_description() { return "none"; }

}  // namespace calque
