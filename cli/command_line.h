#pragma once
// What commands share: options that many have, and what to say about a command line that makes no
// sense.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace calque {

// The option --set KEY=VALUE of the commands that read a config.
CLI::Option* add_settings(
    CLI::App* command, std::vector<std::string>& settings,
    const std::string& meaning = "Override a key: --set training.seed=2; may be repeated");

// The option --threads N, which takes effect as the command line is read.
void add_threads(CLI::App* command);

// What an option's value must be; the messages say what is allowed.
CLI::Validator whole_number(int64_t least, int64_t most = std::numeric_limits<int64_t>::max());
CLI::Validator number(double least, double most);

// Reads the words after the first, which is the program's name, and carries them out. An empty
// value is a variable that a script has not set, not a wish: refused everywhere.
void parse_words(CLI::App& calque, int count, const char* const* words);

// For what CLI11 cannot express, to be thrown by a command's callback: "--a goes with --b".
[[noreturn]] void wrong_command_line(const std::string& message);

// One line: what is wrong, the option or command that was meant, and where help is.
std::string explain(const CLI::App& calque, const CLI::ParseError& error);

// `text` on one line, with control characters written out: a file's name can hold anything.
std::string one_line(std::string_view text);

}  // namespace calque
