// For an unknown word, CLI11 reports only the word; this file adds the nearest known one.
#include "cli/command_line.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/parse_number.h"
#include "core/threads/parallel.h"
#include "train/config/nearest.h"

namespace calque {
namespace {

// The innermost subcommand that was given.
const CLI::App* innermost(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

std::string full_name(const CLI::App* app) {
  const CLI::App* parent = app->get_parent();
  return parent == nullptr ? app->get_name() : full_name(parent) + " " + app->get_name();
}

std::vector<std::string> words_of(const CLI::App* app, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
      for (const std::string& name : option->get_snames()) words.push_back("-" + name);
    }
  } else {
    for (const CLI::App* command : app->get_subcommands({})) words.push_back(command->get_name());
  }
  return words;
}

std::string unexpected(const CLI::App* app, const std::string& word) {
  const bool option = word.starts_with("-");
  const std::string bare = word.substr(0, option ? word.find('=') : word.npos);
  const std::vector<std::string> known = words_of(app, option);
  const std::string near = nearest(bare, {known.begin(), known.end()});
  const std::string kind = option ? "option" : known.empty() ? "argument" : "command";
  return fmt::format("unknown {} {}{}", kind, bare,
                     near.empty() ? "" : fmt::format("; nearest is {}", near));
}

}  // namespace

std::string explain(const CLI::App& calque, const CLI::ParseError& error) {
  const CLI::App* app = innermost(&calque);
  const std::vector<std::string> rest = calque.remaining(true);
  const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                       dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const std::string what =
      unknown && !rest.empty() ? unexpected(app, rest.front()) : std::string(error.what());
  const std::string name = full_name(app);
  return fmt::format("{}: {}; see '{} --help'", name, what, name);
}

namespace {

template <class Number>
CLI::Validator between(Number least, Number most, const std::string& allowed) {
  return {[=](std::string& text) {
            const std::optional<Number> value = parse_number<Number>(text);
            if (value && *value >= least && *value <= most) return std::string();
            return fmt::format("{} is not {}", text, allowed);
          },
          ""};
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most) {
  const bool open = most == std::numeric_limits<int64_t>::max();
  return between(least, most,
                 open ? fmt::format("a whole number, {} or more", least)
                      : fmt::format("a whole number, {} to {}", least, most));
}

CLI::Validator number(double least, double most) {
  return between(least, most, fmt::format("a number, {} to {}", least, most));
}

namespace {

void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty(
      [](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); }, "");
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(not_empty);
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

// `--out=`: CLI11 would take the next word as its value.
bool lacks_value(std::string_view word) {
  return word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1;
}

}  // namespace

void parse_words(CLI::App& calque, int count, const char* const* words) {
  for (int i = 1; i < count && words[i] != std::string_view("--"); ++i) {
    const std::string_view word = words[i];
    if (!lacks_value(word)) continue;
    throw CLI::ValidationError(std::string(word.substr(0, word.size() - 1)), "the value is empty");
  }
  refuse_empty_values(calque);
  calque.parse(count, words);
}

void wrong_command_line(const std::string& message) { throw CLI::ValidationError(message); }

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= ' ' && c != '\x7f') {
      line += c;
    } else {
      line += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return line;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void add_run(CLI::App* command, std::string& run) {
  command->add_option("RUN", run, "The folder of a run or of one of its checkpoints")
      ->required()
      ->type_name("");
}

void add_run(CLI::App* command, RunPlace& run) {
  add_run(command, run.path);
  add_precision(command, run.precision);
}

CLI::Option* add_precision(CLI::App* command, std::optional<Precision>& precision) {
  std::vector<std::string> names;
  for (const Named<Precision>& each : inference_precisions) names.emplace_back(each.name);
  return command
      ->add_option_function<std::string>(
          "--precision",
          [&precision](const std::string& name) {
            precision = choice_named(inference_precisions, name);
          },
          "Of the weights in products: float32, bfloat16, q8_0 or q4_0 (8 or 4 bits and a scale "
          "for each 32 numbers) or int8 (default: as the weights are stored, or "
          "decoding.precision)")
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

CLI::Option* add_turn_format(CLI::App* command, TurnFormat& format, const std::string& meaning) {
  std::vector<std::string> names;
  for (const Named<TurnFormat>& each : turn_formats) {
    if (each.choice != TurnFormat::none) names.emplace_back(each.name);
  }
  return command
      ->add_option_function<std::string>(
          "--format",
          [&format](const std::string& name) { format = *choice_named(turn_formats, name); },
          meaning + ": chatml, llama3, gemma, mistral or alpaca")
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

CLI::Option* add_config(CLI::App* command, std::string& config) {
  return command
      ->add_option("CONFIG", config,
                   "A YAML file, or the name of a built-in config (calque config list)")
      ->type_name("");
}

// The names . and .. cannot be extended, so their full path is used.
std::string folder_beside(const std::string& run, const char* ending) {
  const std::filesystem::path path = find_run(run).folder.path;
  const bool named = path.filename() != "." && path.filename() != "..";
  return (named ? path : std::filesystem::weakly_canonical(path)).string() + ending;
}

CLI::Option* add_settings(CLI::App* command, std::vector<std::string>& settings,
                          const std::string& meaning) {
  return command->add_option("--set", settings, meaning)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_threads(CLI::App* command) {
  command->add_option_function<int>("--threads", set_threads, "Threads (default: all processors)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
}

}  // namespace calque
