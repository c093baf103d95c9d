#pragma once
// Runs the calque program of this build through a shell, and captures its output.

#include <cstdint>
#include <string>
#include <vector>

namespace calque {

struct CommandResult {
  int status = 0;  // 128 + the signal's number when a signal ended the program
  std::string out, err;
};

// Runs a command line of bash, in which "calque" stands for the program: run("calque config keys |
// head -1"). A pipeline has the status of its last command that failed.
CommandResult run(const std::string& command);

// The number of lines of a text; the last one must end with a line break.
int count_lines(const std::string& text);

// Checks that the program printed one line that contains `part`, and exited with `status`: 2 if the
// command line is invalid, 1 if something that it names is.
void check_refused(const CommandResult& ran, int status, const std::string& part);

// Checks what `calque score` prints: one line for each of these numbers of tokens, with the
// log-probability, the log-probability per token, and the number of tokens.
void check_scores(const std::string& text, const std::vector<int64_t>& tokens);

}  // namespace calque
