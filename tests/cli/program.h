#pragma once
// Runs the calque program of this build through a shell, and captures its output.

#include <cstdint>
#include <string>
#include <vector>

namespace calque {

struct Ran {
  int status = 0;  // 128 + the signal's number when a signal ended it
  std::string out, err;
};

// `command` is a shell's; "calque" in it stands for the program: run("calque config keys | head
// -1"). Pipes report the status of the first command that failed.
Ran run(const std::string& command);

// The number of lines of a text; the last one must end with a line break.
int lines(const std::string& text);

// Refused in one line that has this part: with status 2 the command line, with 1 what it names.
void check_refused(const Ran& ran, int status, const std::string& part);

// Checks what `calque score` prints: one line for each of these numbers of tokens, with the
// log-probability, the same per token, and the number.
void check_scores(const std::string& text, const std::vector<int64_t>& tokens);

}  // namespace calque
