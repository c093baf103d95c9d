// Which launchers are recognised.
#include "ranks/start_ranks.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "core/error.h"
#include "support/message_of.h"

using namespace calque;

TEST_CASE("a process that was started alone is the only rank") {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    unsetenv(name);
  }
  const auto ranks = start_ranks();
  CHECK(ranks->rank() == 0);
  CHECK(ranks->ranks() == 1);
  CHECK(!ranks->host().empty());
}

TEST_CASE("the processes of Open MPI, MPICH and SLURM are counted") {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    CAPTURE(name);
    setenv(name, "4", 1);
    CHECK(launched_processes() == 4);
    if (mpi_description() == "none") {
      CHECK(message_of([] { start_ranks(); }).find("built without MPI") != std::string::npos);
    }
    unsetenv(name);
  }
  CHECK(launched_processes() == 1);
}
