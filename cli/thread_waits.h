#pragma once
// How long an idle thread of a parallel loop spins before it sleeps.

namespace calque {

// Sets a short spin (GOMP_SPINCOUNT) for a restart and returns true: libgomp reads it only at
// start. With libgomp's default, training beside one busy process on two cores keeps 0.37 of its
// speed; with a short spin it keeps 0.62. Without such a process, both are equally fast. Returns
// false where OMP_WAIT_POLICY or GOMP_SPINCOUNT is set.
bool shorten_thread_waits();

}  // namespace calque
