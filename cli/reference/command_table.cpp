// The name of a value says what it is: a FILE, a DIR. CLI11 adds the choices of a value to its
// name, as in NAME:{float32,int8}.
#include "cli/reference/command_table.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace calque {
namespace {

constexpr std::pair<std::string_view, ValueKind> kinds[] = {
    {"", ValueKind::none},          {"FILE", ValueKind::files},     {"PATH", ValueKind::files},
    {"PREFIX", ValueKind::files},   {"HYP", ValueKind::files},      {"IMAGE", ValueKind::files},
    {"PLACE", ValueKind::files},    {"DIR", ValueKind::folders},    {"RUN", ValueKind::folders},
    {"CONFIG", ValueKind::configs}, {"KEY=VALUE", ValueKind::keys},
};

ValueKind kind_of(const CommandArgument& argument) {
  if (!argument.choices.empty()) return ValueKind::choice;
  for (const auto& [name, kind] : kinds) {
    if (name == argument.value) return kind;
  }
  return ValueKind::text;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  return names;
}

CommandArgument argument_of(const CLI::Option& option) {
  CommandArgument argument;
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  if (open != type.npos && close != type.npos) {
    argument.choices = split_at_commas(type.substr(open + 1, close - open - 1));
  }
  if (option.get_positional()) {
    argument.names = {option.get_name(true)};
    argument.value = argument.names.front();
  } else if (option.get_items_expected_max() > 0) {
    argument.value = type.substr(0, type.find(':'));
  }
  argument.meaning = option.get_description();
  argument.default_value = option.get_default_str();
  argument.excludes = names_of(option.get_excludes());
  argument.needs = names_of(option.get_needs());
  argument.kind = kind_of(argument);
  argument.required = option.get_required();
  argument.repeated = option.get_items_expected_max() > 1;
  return argument;
}

Command command_of(const CLI::App& app, const std::string& above) {
  Command command;
  command.name = above + app.get_name();
  command.summary = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? command.arguments : command.options)
        .push_back(argument_of(*option));
  }
  for (const CLI::App* each : app.get_subcommands({})) {
    if (!each->get_group().empty())
      command.commands.push_back(command_of(*each, command.name + " "));
  }
  return command;
}

}  // namespace

std::string Command::path() const {
  const size_t space = name.find(' ');
  return space == name.npos ? "" : name.substr(space + 1);
}

std::string Command::word() const { return name.substr(name.rfind(' ') + 1); }

Command command_table(const CLI::App& calque) { return command_of(calque, ""); }

std::vector<const Command*> with_subcommands(const Command& command) {
  std::vector<const Command*> all = {&command};
  for (const Command& each : command.commands) {
    const std::vector<const Command*> below = with_subcommands(each);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

}  // namespace calque
