// calque data sentences: text to sentences, one per line.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/line_streams.h"
#include "data/sentences/splitter.h"

namespace calque {
namespace {

struct SentencesArguments {
  std::string language, input, output;
  InvalidLine invalid = InvalidLine::error;
};

void write_sentences(const SentencesArguments& arguments) {
  const SentenceSplitter splitter(arguments.language);
  LineInput input(arguments.input, arguments.invalid);
  LineOutput output(arguments.output);
  std::string line;
  while (input.next(line)) {
    std::string text;
    for (const TextRange& range : splitter.split(line)) {
      text.append(range.of(line)).push_back('\n');
    }
    output.write(text.empty() ? "\n" : text);
  }
}

}  // namespace

void add_sentences_command(CLI::App& data) {
  const auto arguments = std::make_shared<SentencesArguments>();
  CLI::App* command = data.add_subcommand("sentences", "Divide text into sentences, one per line");
  command
      ->add_option("--language", arguments->language,
                   "Code of the language whose abbreviations are known, such as de")
      ->type_name("CODE");
  command
      ->add_option("--input", arguments->input,
                   "Text, plain, gzip or zstd (default: standard input)")
      ->type_name("FILE");
  command->add_option("--output", arguments->output, "Where to write (default: standard output)")
      ->type_name("FILE");
  add_invalid_utf8(command, arguments->invalid);
  command->footer(
      "A line end ends a sentence; an empty line stays.\n"
      "Example: calque data sentences --language de < book.txt > book.de");
  command->callback([arguments] { write_sentences(*arguments); });
}

}  // namespace calque
