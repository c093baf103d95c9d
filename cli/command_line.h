#pragma once
// What commands share: common options, and the messages for a wrong command line.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/conversations/turns.h"
#include "train/weights/trained_run.h"

namespace calque {

// The argument RUN of the commands for one run.
void add_run(CLI::App* command, std::string& run);
// The same, and the option --precision, for commands that use the model.
void add_run(CLI::App* command, RunPlace& run);
CLI::Option* add_precision(CLI::App* command, std::optional<Precision>& precision);
// The option --format; `meaning` begins its description.
CLI::Option* add_turn_format(CLI::App* command, TurnFormat& format, const std::string& meaning);

// The argument CONFIG of the commands that read a config.
CLI::Option* add_config(CLI::App* command, std::string& config);

// Returns RUN + ending, beside RUN, for a run or one of its checkpoints.
std::string folder_beside(const std::string& run, const char* ending);

// The option --set KEY=VALUE of the commands that read a config.
CLI::Option* add_settings(
    CLI::App* command, std::vector<std::string>& settings,
    const std::string& meaning = "Override a key: --set training.seed=2; may be repeated");

// The option --threads N, which takes effect while the command line is parsed.
void add_threads(CLI::App* command);

// Validators whose messages state the allowed range.
CLI::Validator whole_number(int64_t least, int64_t most = std::numeric_limits<int64_t>::max());
CLI::Validator number(double least, double most);

// Parses the command line and runs the command. The first word is the program's name. An empty
// value is always an error, because it is most likely an unset variable of a script.
void parse_words(CLI::App& calque, int count, const char* const* words);

// For rules that CLI11 cannot express, such as "--a needs --b or --c"; throws from a command's
// callback.
[[noreturn]] void wrong_command_line(const std::string& message);

// Returns a message: the problem, the known word nearest to an unknown one, and how to get help.
std::string explain(const CLI::App& calque, const CLI::ParseError& error);

// `text` on one line, with control characters escaped.
std::string one_line(std::string_view text);

// A word quoted for a shell, if it must be.
std::string quoted(const std::string& word);

}  // namespace calque
