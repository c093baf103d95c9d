#pragma once
// Makes this process a rank of a run.

#include <memory>

#include "ranks/communicator.h"

namespace calque {

// Connects to the other processes that mpirun or srun has started, or returns a OneRank in a
// process that was started alone. Throws an Error if there are others and calque was built without
// MPI; aborts all ranks if their number is not a power of two. Call it once.
std::unique_ptr<Communicator> start_ranks();

// The number of processes according to the environment variables of the launcher; 1 without a
// launcher.
int64_t launched_processes();

// The MPI library that calque was built with, or "none".
std::string mpi_description();

// Requires launched_processes() > 1. Defined in mpi_ranks.cpp or, without MPI, in no_mpi_ranks.cpp.
std::unique_ptr<Communicator> mpi_ranks();

}  // namespace calque
