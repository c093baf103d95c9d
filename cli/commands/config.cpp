// calque config list | check | show | keys: checks and explains configs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "data/text/lowercase.h"
#include "interop/formats.h"
#include "train/config/built_in.h"
#include "train/config/checks/files.h"
#include "train/config/load.h"
#include "train/config/nearest.h"
#include "train/config/show.h"
#include "train/config/source.h"
#include "train/tasks/registry.h"

namespace calque {
namespace {

struct ConfigArguments {
  std::vector<std::string> configs;
  std::string config;
  std::vector<std::string> settings;
  std::string about;
  std::string export_format;  // the value of --for
  bool strict = false;
  bool comments = false;
  bool verbatim = false;
  bool markdown = false;
};

// Returns a message for each setting of the config that the format of --for does not support.
std::vector<std::string> export_problems(const std::string& path,
                                         const ConfigArguments& arguments) {
  if (arguments.export_format.empty()) return {};
  const Config config = load_task_config(path, arguments.settings).config;
  const Format& format = format_named(arguments.export_format);
  std::vector<std::string> problems;
  for (const Obstacle& obstacle : obstacles(format, config)) {
    problems.push_back(fmt::format("{}: {}", path, obstacle_text(obstacle, format, config)));
  }
  return problems;
}

// Prints the missing files of a valid config as notes. Returns them if they are errors.
std::vector<std::string> file_problems(const std::string& path, const ConfigArguments& arguments) {
  const MissingFiles missing = missing_files(load_task_config(path, arguments.settings).config);
  const bool wrong = arguments.strict || missing.all_of_data;
  std::vector<std::string> problems;
  for (const std::string& text : missing.texts) {
    if (wrong) problems.push_back(path + ": " + text);
    if (!wrong) note("calque: note: {}\n", one_line(path + ": " + text));
  }
  return problems;
}

void check(const ConfigArguments& arguments) {
  bool all_valid = true;
  for (const std::string& config : arguments.configs) {
    auto problems = config_problems(config, arguments.settings, task_contradictions);
    if (problems.empty()) problems = export_problems(config, arguments);
    if (problems.empty()) problems = file_problems(config, arguments);
    for (const std::string& problem : problems) {
      note("calque: {}\n", one_line(problem));
    }
    if (problems.empty()) fmt::print("{}: valid\n", config);
    all_valid = all_valid && problems.empty();
  }
  if (!all_valid) throw CLI::RuntimeError(1);
}

void list() {
  size_t width = 0;
  for (const BuiltInConfig& config : built_in_configs) width = std::max(width, config.name.size());
  for (const BuiltInConfig& config : built_in_configs) {
    fmt::print("{:{}}  {}\n", config.name, width, config_summary(config.text));
  }
}

void show(const ConfigArguments& arguments) {
  if (arguments.verbatim) {
    write_output(read_config_source(arguments.config).text);
    return;
  }
  const Config config = load_task_config(arguments.config, arguments.settings).config;
  fmt::print("{}", show_config(config, arguments.comments ? Comments::meanings : Comments::none));
}

// Whether the key's meaning or one of its names contains the word. Case is ignored, and in names
// also hyphens, underscores, dots and spaces.
bool is_about(const ConfigKey& key, const std::string& word) {
  const std::string bare = bare_word(word);
  const auto matches = [&](std::string_view name) {
    return !bare.empty() && bare_word(name).find(bare) != std::string::npos;
  };
  return ascii_lowercase(key.meaning).find(ascii_lowercase(word)) != std::string::npos ||
         matches(key.name) || std::ranges::any_of(key.elsewhere, matches, &ForeignName::name);
}

// Prints "model.heads = 4   (toy.yaml:12)".
void print_value(const ConfigKey& key, const LoadedConfig& loaded) {
  const std::string reason = key.idle(loaded.config);
  const auto origin = loaded.origins.find(key.name);
  fmt::print("{} = {}   ({})\n", key.name, key.write(loaded.config),
             !reason.empty()                  ? fmt::format("not used: {}", reason)
             : origin != loaded.origins.end() ? origin->second
                                              : "default");
}

void print_key(const ConfigKey& key) {
  static const Config defaults;
  fmt::print("{}: {} (default {})\n    {}\n", key.name, key.allowed, key.write(defaults),
             key.meaning);
}

void keys(const ConfigArguments& arguments) {
  if (arguments.markdown) {
    fmt::print("{}", config_reference());
    return;
  }
  LoadedConfig loaded;
  if (!arguments.config.empty()) loaded = load_task_config(arguments.config, arguments.settings);
  for (const ConfigKey& key : config_keys()) {
    if (!is_about(key, arguments.about)) continue;
    if (arguments.config.empty()) {
      print_key(key);
    } else {
      print_value(key, loaded);
    }
  }
}

}  // namespace

void add_config_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* config = calque.add_subcommand("config", "Check and explain config files");
  config->require_subcommand(1);
  config->footer("Example: calque config check toy --set training.until=20e");

  CLI::App* list_command =
      config->add_subcommand("list", "List the built-in configs, for calque train NAME");
  list_command->footer("Example: calque config list");
  list_command->callback(list);

  CLI::App* check_command = config->add_subcommand(
      "check",
      "List the problems of configs. Contradictions between keys are listed if all keys are valid");
  check_command->add_option("CONFIG", arguments->configs, "YAML files or names of built-in configs")
      ->required()
      ->type_name("");
  add_settings(check_command, arguments->settings);
  check_command
      ->add_option(
          "--for", arguments->export_format,
          "For a valid config, list the settings that a format of calque export does not support")
      ->check(CLI::IsMember(format_names()))
      ->type_name("FORMAT");
  check_command->add_flag(
      "--strict", arguments->strict,
      "A missing file is an error, and not only if all of the data are missing");
  check_command->footer(
      "Examples: calque config check configs/*.yaml\n"
      "          calque config check my.yaml --for ctranslate2");
  check_command->callback([arguments] { check(*arguments); });

  CLI::App* show_command = config->add_subcommand(
      "show", "Print a config with all includes, presets and settings resolved");
  add_config(show_command, arguments->config)->required();
  CLI::Option* comments =
      show_command->add_flag("--comments", arguments->comments, "Add the meaning of each key");
  CLI::Option* settings = add_settings(show_command, arguments->settings);
  show_command
      ->add_flag("--verbatim", arguments->verbatim,
                 "Print the file as it is, with its comments: to start a config of your own")
      ->excludes(comments)
      ->excludes(settings);
  show_command->footer(
      "Examples: calque config show toy --set model.preset=small\n"
      "          calque config show toy --verbatim > my.yaml");
  show_command->callback([arguments] { show(*arguments); });

  CLI::App* keys_command =
      config->add_subcommand("keys",
                             "List all keys with their meanings; with CONFIG, instead with their "
                             "values and where they are set");
  CLI::Option* file = add_config(keys_command, arguments->config);
  CLI::Option* about = keys_command->add_option(
      "--about", arguments->about,
      "List only keys with this word in their name, meaning or name in another toolkit");
  keys_command
      ->add_flag("--markdown", arguments->markdown, "Print the reference page docs/config.md")
      ->excludes(about)
      ->excludes(file);
  add_settings(keys_command, arguments->settings)->needs(file);
  keys_command->footer("Example: calque config keys --about warmup");
  keys_command->callback([arguments] { keys(*arguments); });
}

}  // namespace calque
