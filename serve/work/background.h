#pragma once
// Threads that compute for long.

#include <exception>
#include <string>

namespace calque {

// Lowers the priority of the calling thread. On Linux each thread has a nice value, which the
// threads that it starts inherit. Raising it by 10 leaves a thread about a tenth of the CPU time of
// another busy thread.
void give_way_to_other_threads();

// What a client is told of an exception.
std::string message_for_client(const std::exception_ptr& why);

}  // namespace calque
