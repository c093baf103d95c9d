// calque config check | show | keys: checks and explains configs.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "interop/formats.h"
#include "train/config/load.h"
#include "train/config/nearest.h"
#include "train/config/show.h"
#include "train/tasks/registry.h"

namespace calque {
namespace {

struct ConfigArguments {
  std::vector<std::string> configs;
  std::string config;
  std::vector<std::string> settings;
  std::string about;
  std::string format;  // of an export
  bool comments = false;
  bool markdown = false;
};

// Returns the settings of the config that the format of --for does not support.
std::vector<std::string> export_problems(const std::string& path,
                                         const ConfigArguments& arguments) {
  if (arguments.format.empty()) return {};
  const Config config = load_task_config(path, arguments.settings).config;
  const ExportFormat format = export_format_named(arguments.format);
  std::vector<std::string> problems;
  for (const Obstacle& obstacle : obstacles(format, config)) {
    problems.push_back(fmt::format("{}: {}", path, obstacle_text(obstacle, format, config)));
  }
  return problems;
}

void check(const ConfigArguments& arguments) {
  bool sound = true;
  for (const std::string& config : arguments.configs) {
    auto problems = config_problems(config, arguments.settings, task_contradictions);
    if (problems.empty()) problems = export_problems(config, arguments);
    for (const std::string& problem : problems) {
      note("calque: {}\n", one_line(problem));
    }
    if (problems.empty()) fmt::print("{}: valid\n", config);
    sound = sound && problems.empty();
  }
  if (!sound) throw CLI::RuntimeError(1);
}

void show(const ConfigArguments& arguments) {
  const Config config = load_task_config(arguments.config, arguments.settings).config;
  fmt::print("{}", show_config(config, arguments.comments ? Comments::meanings : Comments::none));
}

bool is_about(const ConfigKey& key, const std::string& word) {
  std::string all = key.name + " " + std::string(key.meaning);
  for (const ForeignName& foreign : key.elsewhere) all += fmt::format(" {}", foreign.name);
  return bare_word(all).find(bare_word(word)) != std::string::npos;
}

// "model.heads = 4   (toy.yaml:12)"
void print_value(const ConfigKey& key, const LoadedConfig& loaded) {
  const std::string_view idle = key.idle(loaded.config);
  const auto origin = loaded.origins.find(key.name);
  fmt::print("{} = {}   ({})\n", key.name, key.write(loaded.config),
             !idle.empty()                    ? fmt::format("not used: {}", idle)
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
  config->footer("Example: calque config check configs/toy.yaml --set training.until=20e");

  CLI::App* check_command =
      config->add_subcommand("check", "List everything that is wrong with configs");
  check_command->add_option("CONFIG", arguments->configs, "YAML files")->required();
  add_settings(check_command, arguments->settings);
  check_command
      ->add_option("--for", arguments->format,
                   "Also list the settings that a format of calque export does not support")
      ->check(CLI::IsMember(export_format_names()))
      ->type_name("FORMAT");
  check_command->footer(
      "Examples: calque config check configs/*.yaml\n"
      "          calque config check my.yaml --for ctranslate2");
  check_command->callback([arguments] { check(*arguments); });

  CLI::App* show_command = config->add_subcommand(
      "show", "Print a config with all includes, presets and settings resolved");
  show_command->add_option("CONFIG", arguments->config, "YAML file")->required();
  show_command->add_flag("--comments", arguments->comments, "Add the meaning of each key");
  add_settings(show_command, arguments->settings);
  show_command->footer("Example: calque config show configs/toy.yaml --set model.preset=small");
  show_command->callback([arguments] { show(*arguments); });

  CLI::App* keys_command = config->add_subcommand(
      "keys", "List all keys; with a CONFIG, also their values and where they are set");
  CLI::Option* file = keys_command->add_option("CONFIG", arguments->config, "YAML file");
  CLI::Option* about = keys_command->add_option(
      "--about", arguments->about,
      "List only keys with this word in their name or meaning, or in another toolkit's name");
  keys_command
      ->add_flag("--markdown", arguments->markdown, "Write the reference page docs/config.md")
      ->excludes(about)
      ->excludes(file);
  add_settings(keys_command, arguments->settings)->needs(file);
  keys_command->footer("Example: calque config keys --about warmup");
  keys_command->callback([arguments] { keys(*arguments); });
}

}  // namespace calque
