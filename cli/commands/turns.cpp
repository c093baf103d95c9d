// calque data turns: what a model reads of conversations.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "data/conversations/conversation.h"
#include "data/conversations/turn_tokens.h"
#include "data/files/text_lines.h"
#include "train/tasks/language_model/chat.h"

namespace calque {
namespace {

struct TurnsArguments {
  std::string file, run, system;
  TurnFormat format = TurnFormat::none;
  bool open = false, prints_template = false;
};

// The text of a conversation, the part that is to be learned, and with a run the ids.
std::string described(const Conversation& conversation, const TurnOptions& options,
                      const TurnTokens* tokens, bool open) {
  nlohmann::ordered_json json;
  const std::vector<TurnPiece> pieces = turn_pieces(options, conversation, open);
  json["text"] = text_of(pieces);
  json["answers"] = nlohmann::ordered_json::array();
  for (const TurnPiece& piece : pieces) {
    if (piece.answer) json["answers"].push_back(piece.text);
  }
  if (tokens) {
    const TurnTokens::Encoded encoded = tokens->encode(conversation, open);
    json["ids"] = encoded.ids;
    json["runs"] = encoded.runs;
  }
  return json.dump();
}

void print_turns(const TurnsArguments& arguments) {
  TurnOptions options;
  std::unique_ptr<TurnTokens> tokens;
  if (!arguments.run.empty()) {
    tokens = std::make_unique<TurnTokens>(turns_of_run(arguments.run));
    options = tokens->options();
  } else {
    options.format = arguments.format;
    options.system = arguments.system;
  }
  if (arguments.prints_template) {
    if (options.format == TurnFormat::none) fail("--template: there is no turn format");
    return write_output(template_of_turns(options) + "\n");
  }
  if (arguments.file.empty()) wrong_command_line("FILE is missing");
  const TextLines lines(arguments.file);
  for (int64_t i = 0; i < lines.count(); ++i) {
    const std::string line = lines.line(i);
    if (line.empty()) continue;
    const Conversation conversation = parse_conversation(line, lines.where(i));
    try {
      write_output(described(conversation, options, tokens.get(), arguments.open) + "\n");
    } catch (const Error& error) {
      fail("{}: {}", lines.where(i), error.what());
    }
  }
}

}  // namespace

void add_turns_command(CLI::App& data) {
  const auto arguments = std::make_shared<TurnsArguments>();
  CLI::App* command =
      data.add_subcommand("turns", "Print the text that a model reads of conversations");
  command->add_option("FILE", arguments->file, "JSON lines of conversations, plain, gzip or zstd")
      ->type_name("");
  CLI::Option* run =
      command
          ->add_option("--run", arguments->run, "A run, whose turn format and tokenizer are used")
          ->type_name("RUN");
  add_turn_format(command, arguments->format, "The turn format")->excludes(run);
  command
      ->add_option("--system", arguments->system,
                   "The system text of conversations without one, for chatml and alpaca")
      ->excludes(run)
      ->type_name("TEXT");
  command->add_flag("--open", arguments->open,
                    "The conversations end with a text of the user, which the model is to answer");
  command->add_flag("--template", arguments->prints_template,
                    "Print the format's chat template for transformers and llama.cpp instead");
  command->footer(
      "Prints a JSON object per line: the text, and the answers that training learns; with --run\n"
      "also the ids, and how many in a row are not and are answers, in turn.\n"
      "Example: calque data turns chat.jsonl --format gemma");
  command->callback([arguments] { print_turns(*arguments); });
}

}  // namespace calque
