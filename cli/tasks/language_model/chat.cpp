// calque chat: a conversation in the terminal, or line by line in a pipe.
#include "train/tasks/language_model/chat.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_format_arguments.h"
#include "cli/sampling_arguments.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

struct ChatArguments {
  RunPlace run;
  std::string system;
  TurnFormat format = TurnFormat::none;  // none: that of the run
  GenerationOptions options;
  OutputFormat output;
};

constexpr std::string_view chat_help =
    "/reset         forget the conversation\n"
    "/system TEXT   forget it, and begin with another system text (none without TEXT)\n"
    "/help          show these lines\n"
    "/quit          end\n"
    "A text that begins with // is a text that begins with /.\n";

// What a line asks for.
enum class Asked { answer, nothing, end };

class ChatLines {
 public:
  ChatLines(Chat& chat, bool terminal) : chat_(chat), terminal_(terminal) {}

  void run() {
    std::string line;
    while (true) {
      if (terminal_) print("> ");
      if (!std::getline(std::cin, line)) break;
      if (line.ends_with('\r')) line.pop_back();
      try {
        if (!take(line)) return;
      } catch (const Error& error) {
        if (!terminal_) throw;
        std::cerr << error.what() << std::endl;
      }
    }
    if (terminal_) print("\n");
  }

 private:
  static void print(std::string_view text) {
    write_output(text);
    finish_output();
  }

  // Returns false if the conversation ends.
  bool take(std::string line) {
    if (const std::string problem = utf8_problem(line); !problem.empty()) {
      fail("the text: {}", problem);
    }
    if (line.starts_with("//")) {
      line.erase(0, 1);
    } else if (line.starts_with("/")) {
      return obey(line);
    }
    if (!line.empty()) answer(line);
    return true;
  }

  bool obey(const std::string& line) {
    const size_t space = line.find(' ');
    const std::string command = line.substr(0, space);
    if (command == "/quit") return false;
    if (command == "/help") {
      print(chat_help);
    } else if (command == "/reset") {
      chat_.reset();
    } else if (command == "/system") {
      chat_.set_system(space == std::string::npos ? "" : line.substr(space + 1));
    } else {
      fail("{}: there is no such command; /help lists them", command);
    }
    return true;
  }

  void answer(const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    const Chat::Answer answer = chat_.answer(text, print);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    print("\n");
    if (!terminal_) return;
    std::string note = fmt::format("[{} tokens, {:.1f} tokens/s", answer.tokens,
                                   static_cast<double>(answer.tokens) / taken.count());
    if (answer.finish == FinishReason::length) note += ", cut off by --max-tokens";
    if (answer.forgotten > 0) note += fmt::format(", {} messages left out", answer.forgotten);
    std::cerr << note << "]" << std::endl;
  }

  Chat& chat_;
  const bool terminal_;
};

void run_chat(ChatArguments arguments) {
  require_task("calque chat", arguments.run.path, {TaskKind::language_model});
  const OutputFormat output = with_schema_read(arguments.output);
  const LanguageModelRun run = open_language_model_run(arguments.run);
  arguments.options.context = run.config.data.context;
  if (arguments.format == TurnFormat::none && run.config.data.turns.format == TurnFormat::none) {
    fail(
        "{}: has no turn format (data.turns); it was not trained on conversations; --format "
        "selects one",
        run.folder.path);
  }
  TurnTokens turns = turns_of_run(run, arguments.format);
  arguments.options.constraint = OutputConstraints(run.tokenizer).of(output, turns.end_texts());
  Chat chat(run, std::move(turns), arguments.options);
  chat.set_system(arguments.system);
  ChatLines(chat, isatty(STDIN_FILENO) == 1).run();
}

}  // namespace

void add_chat_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ChatArguments>();
  arguments->options.max_tokens = 512;
  CLI::App* command = calque.add_subcommand("chat", "Talk to a language model");
  add_run(command, arguments->run);
  command->add_option("--system", arguments->system, "The system text")->type_name("TEXT");
  add_turn_format(command, arguments->format, "The turn format, instead of data.turns");
  GenerationOptions& options = arguments->options;
  command
      ->add_option("--max-tokens", options.max_tokens,
                   "The maximum number of tokens of an answer (default: 512)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  add_sampling_options(*command, options.sampling);
  command->add_option("--stop", options.stop, "End an answer before this string; may be repeated")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  add_output_format_options(*command, arguments->output);
  add_threads(command);
  command->footer(
      "Each line of standard input is a text; /help lists the commands, such as /reset. The model\n"
      "reads the whole conversation, without the oldest texts once it is longer than "
      "data.context.\n"
      "Examples: calque chat runs/tuned --system 'Answer in one word.'\n"
      "          echo 'What is the capital of France?' | calque chat runs/tuned --temperature 0");
  command->callback([arguments] { run_chat(*arguments); });
}

}  // namespace calque
