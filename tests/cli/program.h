#pragma once
// Runs the calque program that was just built, as a shell would, and keeps what it says.

#include <string>

namespace calque {

struct Ran {
  int status = 0;  // 128 + the signal's number when a signal ended it
  std::string out, err;
};

// `command` is a shell's; "calque" in it stands for the program: run("calque config keys | head
// -1"). Pipes report the status of the first command that failed.
Ran run(const std::string& command);

// How many lines the text has; the last one must end.
int lines(const std::string& text);

}  // namespace calque
