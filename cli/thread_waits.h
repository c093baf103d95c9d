#pragma once
// How long an idle thread of a parallel loop spins before it sleeps.

namespace calque {

// Restarts the program with a short spin (GOMP_SPINCOUNT), because libgomp reads it only at start.
// With libgomp's default, training beside one busy process on two cores keeps 0.37 of its speed;
// with a short spin it keeps 0.62. Without such a process, both are equally fast. Does nothing
// where the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT, or if the restart fails.
void shorten_thread_waits(char** arguments);

}  // namespace calque
