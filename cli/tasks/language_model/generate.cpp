// calque generate: a language model continues a prompt.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_format_arguments.h"
#include "cli/sampling_arguments.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "data/text/utf8.h"
#include "train/tasks/language_model/generation.h"
#include "train/tasks/language_model/run.h"

namespace calque {
namespace {

struct GenerateArguments {
  RunPlace run;
  std::string prompt;
  GenerationOptions options;
  OutputFormat format;
  bool interactive = false;
};

void require_utf8(const std::string& prompt) {
  const std::string problem = utf8_problem(prompt);
  if (!problem.empty()) fail("the prompt: {}", problem);
}

// Prints the text while it is generated.
void generate_one(const LanguageModelRun& run, const std::string& prompt,
                  const GenerationOptions& options) {
  write_output(prompt);
  finish_output();
  generate_texts(run.model(), run.tokenizer, {&prompt, 1}, options,
                 [](size_t, size_t, const std::string& text) {
                   write_output(text);
                   finish_output();
                 });
  write_output("\n");
}

// Prints the texts with a rule between them.
void generate_several(const LanguageModelRun& run, const std::string& prompt,
                      const GenerationOptions& options) {
  const auto texts = generate_texts(run.model(), run.tokenizer, {&prompt, 1}, options).front();
  for (size_t i = 0; i < texts.size(); ++i) {
    write_output(fmt::format("{}{}{}\n", i > 0 ? "--------\n" : "", prompt, texts[i].text));
  }
}

// Continues each line of standard input.
void converse(const LanguageModelRun& run, GenerationOptions options) {
  const bool terminal = isatty(STDIN_FILENO) == 1;
  std::string prompt;
  while (true) {
    if (terminal) {
      write_output("> ");
      finish_output();
    }
    if (!std::getline(std::cin, prompt)) break;
    require_utf8(prompt);
    generate_one(run, prompt, options);
    ++options.sampling.seed;  // so that a repeated prompt gets another text
  }
  if (terminal) write_output("\n");
}

void generate(GenerateArguments arguments) {
  require_utf8(arguments.prompt);
  require_task("calque generate", arguments.run.path, {TaskKind::language_model});
  const OutputFormat format = with_schema_read(arguments.format);
  const LanguageModelRun run = open_language_model_run(arguments.run);
  arguments.options.context = run.config.data.context;
  arguments.options.constraint = OutputConstraints(run.tokenizer).of(format);
  if (arguments.interactive) {
    converse(run, arguments.options);
  } else if (arguments.options.samples == 1) {
    generate_one(run, arguments.prompt, arguments.options);
  } else {
    generate_several(run, arguments.prompt, arguments.options);
  }
}

}  // namespace

void add_generate_command(CLI::App& calque) {
  const auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* command = calque.add_subcommand("generate", "Continue a text with a language model");
  add_run(command, arguments->run);
  CLI::Option* prompt =
      command->add_option("PROMPT", arguments->prompt, "The beginning of the text (default: none)")
          ->type_name("");
  GenerationOptions& options = arguments->options;
  command
      ->add_option("--max-tokens", options.max_tokens,
                   "The maximum number of tokens to generate (default: 256)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  add_sampling_options(*command, options.sampling);
  command->add_option("--stop", options.stop, "End a text before this string; may be repeated")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  add_output_format_options(*command, arguments->format);
  CLI::Option* samples =
      command->add_option("--samples", options.samples, "The number of texts (default: 1)")
          ->check(whole_number(1, 10'000))
          ->type_name("N");
  command->add_flag("--interactive", arguments->interactive, "Continue each line of standard input")
      ->excludes(prompt)
      ->excludes(samples);
  add_threads(command);
  command->footer(
      "With --regex, --json-schema or --json the continuation matches as a whole, unless "
      "--max-tokens\n"
      "cuts it off.\n"
      "Examples: calque generate runs/shakespeare 'ROMEO:' --temperature 0.8 --max-tokens 400\n"
      "          calque generate runs/shakespeare 'The year is ' --regex '1[0-9]{3}'");
  command->callback([arguments] { generate(*arguments); });
}

}  // namespace calque
