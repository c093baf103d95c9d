// Ranks of an MPI that buffers no message and delivers no heartbeat before the end: they must end
// all the same. The functions below replace those of the MPI library (its profiling interface).
#include <mpi.h>

#include <chrono>

#include "ranks/collectives.h"
#include "ranks/start_ranks.h"

// Complete only when the message is received.
int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm of,
              MPI_Request* request) {
  return PMPI_Issend(from, count, type, to, tag, of, request);
}

// No heartbeat has arrived.
int MPI_Iprobe(int, int, MPI_Comm, int* arrived, MPI_Status*) {
  *arrived = 0;
  return MPI_SUCCESS;
}

int main() {
  const std::unique_ptr<calque::Communicator> ranks = calque::start_ranks();
  ranks->watch(std::chrono::minutes(10), [] { return false; });
  return ranks->ranks() == 4 ? 0 : 1;
}
