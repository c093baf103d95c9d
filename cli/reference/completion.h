#pragma once
// Scripts that complete calque's commands, options, choices, files and config keys in a shell.

#include <span>
#include <string>
#include <string_view>

#include "cli/reference/command_table.h"

namespace calque {

struct CompletionShell {
  std::string_view name;
  std::string_view place;  // of its script below share/, as the shell looks for it
  std::string (*script)(const Command& calque);
};

std::string bash_script(const Command& calque);
std::string zsh_script(const Command& calque);
std::string fish_script(const Command& calque);

inline constexpr CompletionShell completion_shells[] = {
    {"bash", "bash-completion/completions/calque", bash_script},
    {"zsh", "zsh/site-functions/_calque", zsh_script},
    {"fish", "fish/vendor_completions.d/calque.fish", fish_script},
};

// What the script of a shell says of a value, by its kind; {} in `choice` stands for the choices.
struct ValueTexts {
  std::string_view text, choice, separator, files, folders, configs, keys;
};
// Empty for an option without a value.
std::string value_text(const CommandArgument& argument, const ValueTexts& texts);

// For the scripts: the names of the built-in configs and of all config keys, separated by spaces.
std::string names_of_configs();
std::string names_of_keys();

// The script with `parts` in the place of the lines @NAME@.
std::string filled_script(std::string_view script,
                          std::span<const std::pair<std::string_view, std::string>> parts);

}  // namespace calque
