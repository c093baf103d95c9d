// What the shells share, and the script for bash: its table has a line for each command.
#include "cli/reference/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "train/config/built_in.h"
#include "train/config/schema.h"

namespace calque {

extern const std::string_view bash_completion;  // completion.bash

namespace {

std::string bash_kind(const CommandArgument& argument) {
  switch (argument.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::text:
      return "text";
    case ValueKind::choice:
      return fmt::format("{{{}}}", fmt::join(argument.choices, ","));
    case ValueKind::files:
      return "files";
    case ValueKind::folders:
      return "folders";
    case ValueKind::configs:
      return "configs";
    case ValueKind::keys:
      return "keys";
  }
  return "";
}

std::string bash_line(const Command& command) {
  std::string commands, options, arguments;
  for (const Command& each : command.commands) commands += each.word() + " ";
  for (const CommandArgument& option : command.options) {
    for (const std::string& name : option.names) options += name + ":" + bash_kind(option) + " ";
  }
  for (const CommandArgument& argument : command.arguments) {
    arguments += bash_kind(argument) + (argument.repeated ? "+ " : " ");
  }
  return fmt::format("    '{}') commands='{}' options='{}' arguments='{}' ;;\n", command.path(),
                     commands, options, arguments);
}

}  // namespace

std::string names_of_configs() {
  std::vector<std::string_view> names;
  for (const BuiltInConfig& config : built_in_configs) names.push_back(config.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string names_of_keys() {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : config_keys()) names.push_back(key.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string filled_script(std::string_view script,
                          std::span<const std::pair<std::string_view, std::string>> parts) {
  std::string filled(script);
  for (const auto& [name, text] : parts) {
    const std::string mark = fmt::format("@{}@", name);
    const size_t at = filled.find(mark);
    if (at != filled.npos) filled.replace(at, mark.size(), text);
  }
  return filled;
}

std::string bash_script(const Command& calque) {
  std::string table;
  for (const Command* command : with_subcommands(calque)) table += bash_line(*command);
  const std::pair<std::string_view, std::string> parts[] = {
      {"TABLE", table}, {"CONFIGS", names_of_configs()}, {"KEYS", names_of_keys()}};
  return filled_script(bash_completion, parts);
}

}  // namespace calque
