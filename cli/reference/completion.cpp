// What the shells share, and the script for bash: its table has a line for each command.
#include "cli/reference/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "train/config/built_in.h"
#include "train/config/schema.h"

namespace calque {

extern const std::string_view bash_completion;  // completion.bash

namespace {

constexpr ValueTexts bash_kinds{.text = "text",
                                .choice = "{{{}}}",
                                .separator = ",",
                                .files = "files",
                                .folders = "folders",
                                .configs = "configs",
                                .keys = "keys"};

std::string bash_kind(const CommandArgument& argument) { return value_text(argument, bash_kinds); }

// The names of the items, separated by spaces.
template <class Items>
std::string names_in(const Items& items) {
  std::string names;
  for (const auto& item : items) names += fmt::format("{}{}", names.empty() ? "" : " ", item.name);
  return names;
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

std::string value_text(const CommandArgument& argument, const ValueTexts& texts) {
  switch (argument.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::text:
      return std::string(texts.text);
    case ValueKind::choice:
      return fmt::format(fmt::runtime(texts.choice), fmt::join(argument.choices, texts.separator));
    case ValueKind::files:
      return std::string(texts.files);
    case ValueKind::folders:
      return std::string(texts.folders);
    case ValueKind::configs:
      return std::string(texts.configs);
    case ValueKind::keys:
      return std::string(texts.keys);
  }
  return "";
}

std::string names_of_configs() { return names_in(built_in_configs); }
std::string names_of_keys() { return names_in(config_keys()); }

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
