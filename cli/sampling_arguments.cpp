// The value of --sampling is parsed as a command line of its own, with the options that
// add_sampling_options() adds.
#include "cli/sampling_arguments.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command_line.h"
#include "core/error.h"

namespace calque {

void add_sampling_options(CLI::App& command, Sampling& sampling) {
  command
      .add_option("--temperature", sampling.temperature,
                  "Below 1, probable tokens become more probable; above 1, less; 0 always takes "
                  "the most probable (default: 1)")
      ->check(number(0, 1000))
      ->type_name("T");
  command.add_option("--top-k", sampling.top_k, "Draw from the K most probable tokens; 0: all")
      ->check(whole_number(0, int64_t{1} << 31))
      ->type_name("K");
  command
      .add_option("--top-p", sampling.top_p,
                  "Draw from the fewest tokens whose probabilities add up to P")
      ->check(number(0, 1))
      ->type_name("P");
  command
      .add_option("--min-p", sampling.min_p,
                  "Draw from tokens with at least P times the probability of the best")
      ->check(number(0, 1))
      ->type_name("P");
  command
      .add_option("--repetition-penalty", sampling.repetition_penalty,
                  "Above 1, tokens that occurred before become less probable (default: 1)")
      ->check(number(0.01, 100))
      ->type_name("R");
  command
      .add_option("--seed", sampling.seed,
                  "The same seed gives the same text on any number of threads (default: 1)")
      ->check(whole_number(0))
      ->type_name("N");
}

Sampling parse_sampling(const std::string& text) {
  Sampling sampling;
  CLI::App options;
  options.set_help_flag();
  add_sampling_options(options, sampling);
  std::vector<std::string> names, words;
  for (const CLI::Option* option : options.get_options()) names.push_back(option->get_lnames()[0]);
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = part.find('=');
    if (std::ranges::count(names, part.substr(0, equals)) == 0 || equals >= part.size() - 1) {
      fail("{}: give NAME=VALUE, with a name among {}", part, fmt::join(names, ", "));
    }
    words.insert(words.begin(), "--" + part);  // the parser takes words in reverse order
  }
  try {
    options.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    fail("{}", error.what());
  }
  return sampling;
}

CLI::Option* add_sampling_option(CLI::App& command, std::optional<Sampling>& sampling) {
  const auto read = [&sampling](const std::string& text) {
    try {
      sampling = parse_sampling(text);
    } catch (const Error& error) {
      throw CLI::ValidationError("--sampling", error.what());
    }
  };
  return command
      .add_option_function<std::string>(
          "--sampling", read,
          "Draw translations instead of searching: any of temperature, top-k, top-p, min-p, "
          "repetition-penalty and seed, as in top-p=0.9,temperature=0.8")
      ->type_name("HOW");
}

}  // namespace calque
