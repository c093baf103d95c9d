#pragma once
// The commands of calque. Each has a short file of its own, named after it, which adds a subcommand
// with its options and a callback. A callback prints results to stdout and throws Error for what a
// person can mend; a status other than 0 without an error is CLI::RuntimeError(status).

#include <CLI/CLI.hpp>

namespace calque {

void add_config_command(CLI::App& calque);
void add_plot_command(CLI::App& calque);

// In the order in which `calque --help` lists them.
inline constexpr void (*add_commands[])(CLI::App&) = {
    add_config_command,
    add_plot_command,
};

}  // namespace calque
