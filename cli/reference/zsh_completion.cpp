// The script for zsh: a function for each command, which calls _arguments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/completion.h"

namespace calque {

extern const std::string_view zsh_completion;  // completion.zsh

namespace {

// `text` inside single quotes, with a backslash before each of `special`.
std::string zsh_escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

constexpr ValueTexts zsh_actions{.text = " ",
                                 .choice = "({})",
                                 .separator = " ",
                                 .files = "_files",
                                 .folders = "_files -/",
                                 .configs = "_calque_configs",
                                 .keys = "_calque_keys"};

std::string zsh_action(const CommandArgument& argument) {
  return value_text(argument, zsh_actions);
}

std::string zsh_option(const CommandArgument& option) {
  const std::string meaning = zsh_escaped(option.meaning, "[]\\");
  const std::string value =
      option.kind == ValueKind::none
          ? ""
          : ":" + zsh_escaped(option.value, ":\\") + ":" + zsh_escaped(zsh_action(option), "\\");
  std::string specs;
  for (const std::string& name : option.names) {
    const std::string_view mark = value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    specs += fmt::format(" \\\n    '{}{}{}[{}]{}'", option.repeated ? "*" : "", name, mark, meaning,
                         value);
  }
  return specs;
}

std::string zsh_argument(const CommandArgument& argument) {
  return fmt::format(" \\\n    '{}:{}:{}'", argument.repeated ? "*" : "",
                     zsh_escaped(argument.value, ":\\"), zsh_escaped(zsh_action(argument), "\\"));
}

std::string function_name(const Command& command) {
  std::string name = "_calque_command";
  for (const char c : command.path()) name += name == "_calque_command" ? "_" : "", name += c;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
}

std::string zsh_function(const Command& command) {
  std::string specs;
  for (const CommandArgument& option : command.options) specs += zsh_option(option);
  if (command.commands.empty()) {
    for (const CommandArgument& argument : command.arguments) specs += zsh_argument(argument);
    return fmt::format("{}() {{\n  _arguments -s -S{}\n}}\n", function_name(command), specs);
  }
  std::string described, cases;
  for (const Command& each : command.commands) {
    described += fmt::format("\n        '{}:{}'", each.word(), zsh_escaped(each.summary, ":\\"));
    cases += fmt::format("\n        {}) {} ;;", each.word(), function_name(each));
  }
  return fmt::format(
      "{}() {{\n"
      "  local curcontext=$curcontext state line\n"
      "  local -a commands\n"
      "  _arguments -C{} \\\n    '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n"
      "    command)\n"
      "      commands=({}\n      )\n"
      "      _describe command commands ;;\n"
      "    argument)\n"
      "      case $words[1] in{}\n      esac ;;\n"
      "  esac\n"
      "}}\n",
      function_name(command), specs, described, cases);
}

}  // namespace

std::string zsh_script(const Command& calque) {
  std::string functions;
  for (const Command* command : with_subcommands(calque))
    functions += zsh_function(*command) + "\n";
  const std::pair<std::string_view, std::string> parts[] = {
      {"FUNCTIONS", functions}, {"CONFIGS", names_of_configs()}, {"KEYS", names_of_keys()}};
  return filled_script(zsh_completion, parts);
}

}  // namespace calque
