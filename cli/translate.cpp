// calque translate: line in, line out.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/decoding_arguments.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "core/error.h"
#include "data/file.h"
#include "data/text_lines.h"
#include "train/tasks/translation/line_translation.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  DecodingArguments decoding;
  std::string input, output, prefix, sampling;
  int64_t buffer = 0;
  double length_penalty = -1;
  bool alignment = false, scores = false;
};

LineOptions line_options(const Arguments& arguments, const DecodingConfig& decoding) {
  LineOptions options{translation_options(decoding), arguments.scores, arguments.alignment};
  TranslationOptions& search = options.search;
  if (arguments.length_penalty >= 0) {
    if (search.penalty == SearchOptions::Penalty::none) {
      fail("--length-penalty: it goes with a decoding.length_penalty_kind, and the run's is none");
    }
    search.length_penalty = arguments.length_penalty;
  }
  if (!arguments.sampling.empty()) search.sampling = parse_sampling(arguments.sampling);
  return options;
}

// Where lines come from: standard input or a file, also a pipe's name, read as they come; or a
// gzip file. A CR before the line's end and a byte-order mark are no text.
class Input {
 public:
  explicit Input(const std::string& file) : name_(file.empty() ? "standard input" : file) {
    if (file.empty()) return;
    file_.open(file, std::ios::binary);
    if (!file_) fail("{}: cannot be read: {}", file, std::strerror(errno));
    if (std::filesystem::is_directory(file)) fail("{}: is a folder, not a text", file);
    if (file_.peek() == 0x1f)
      packed_.emplace(file, TextLines::Empty::allowed);  // gzip's first byte, and no text's
  }

  bool next(std::string& line) {
    if (packed_) {
      if (count_ == packed_->count()) return false;
      line = packed_->line(count_++);
      return true;
    }
    std::istream& in = file_.is_open() ? file_ : std::cin;
    if (!std::getline(in, line)) {
      if (in.bad()) fail("{}: cannot be read", name_);
      if (!file_.is_open()) check_standard_input();
      return false;
    }
    ++count_;
    if (line.ends_with('\r')) line.pop_back();
    if (count_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    return true;
  }

  int64_t count() const { return count_; }
  const std::string& name() const { return name_; }
  std::string where() const { return fmt::format("{}:{}", name_, count_); }

 private:
  std::string name_;
  std::ifstream file_;
  std::optional<TextLines> packed_;
  int64_t count_ = 0;
};

class Output {
 public:
  explicit Output(const std::string& file) : name_(file) {
    if (file.empty()) return;
    file_.open(file, std::ios::binary);
    if (!file_) fail("{}: cannot be written: {}", file, std::strerror(errno));
  }

  void write(const std::string& text) {
    if (!file_.is_open()) {
      write_output(text);
      finish_output();
      return;
    }
    errno = 0;
    file_ << text << std::flush;
    if (!file_) fail("{}: cannot be written{}", name_, reason_given());
  }

 private:
  std::string name_;
  std::ofstream file_;
};

// Lines that are translated together, each with what its translation begins with if --prefix says.
class Lines {
 public:
  Lines(Input& input, Input* prefix, const LineTranslator& translator)
      : input_(input), prefix_(prefix), translator_(translator) {}

  int64_t count() const { return std::ssize(lines_); }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<std::string>& prefixes() const { return prefixes_; }
  void clear() { lines_.clear(), prefixes_.clear(); }

  // One more; false at the end. A line that cannot be translated is an Error.
  bool read() {
    std::string line;
    const bool more = input_.next(line);
    if (prefix_) {
      std::string beginning;
      if (prefix_->next(beginning) != more) {
        const auto& [longer, shorter] =
            more ? std::pair(&input_, prefix_) : std::pair(prefix_, &input_);
        fail(
            "{}: has {} lines than {}: {} ends after line {}; line n of one belongs to line n of "
            "the other",
            prefix_->name(), more ? "fewer" : "more", input_.name(), shorter->name(),
            shorter->count());
      }
      if (more) check(*prefix_, beginning, LineTranslator::Side::target);
      if (more) prefixes_.push_back(beginning);
    }
    if (more) check(input_, line, LineTranslator::Side::source);
    if (more) lines_.push_back(line);
    return more;
  }

 private:
  void check(const Input& from, const std::string& line, LineTranslator::Side side) {
    const std::string objection = translator_.objection(line, side);
    if (!objection.empty()) {
      prefixes_.resize(std::min(prefixes_.size(), lines_.size()));
      fail("{}: {}", from.where(), objection);
    }
  }

  Input& input_;
  Input* prefix_;
  const LineTranslator& translator_;
  std::vector<std::string> lines_, prefixes_;
};

// At a terminal every line is answered at once; otherwise many are translated together.
void translate_all(Lines& lines, Output& output, LineTranslator& translator, int64_t buffer,
                   const Progress& progress) {
  int64_t translated = 0;
  const auto flush = [&] {
    if (lines.count() == 0) return;
    output.write(translator.translate(lines.lines(), translated, lines.prefixes()));
    translated += lines.count();
    lines.clear();
    progress.show("lines", translated, translator.tokens_written());
  };
  try {
    while (lines.read()) {
      if (lines.count() >= buffer) flush();
    }
  } catch (const Error&) {
    flush();  // what came before the line that is wrong
    throw;
  }
  flush();
  progress.end();
}

// Opening --output empties it, before the first line is read.
void refuse_to_overwrite_input(const Arguments& arguments) {
  std::error_code none;  // where one of them is no file that exists
  if (!std::filesystem::is_regular_file(arguments.output, none)) return;
  const std::string input = arguments.input.empty() ? "/dev/stdin" : arguments.input;
  for (const std::string& read : {input, arguments.prefix}) {
    if (std::filesystem::equivalent(read, arguments.output, none)) {
      fail("{}: cannot be read and written at once; give --output another name", arguments.output);
    }
  }
}

void translate(Arguments arguments) {
  for (std::string* place : {&arguments.input, &arguments.output}) {
    if (*place == "-") place->clear();  // the standard streams, as without the option
  }
  std::vector<TranslationRun> runs = open_translation_runs(arguments.runs);
  const LineOptions options =
      line_options(arguments, decoding_of(runs.front(), arguments.decoding));
  LineTranslator translator(std::move(runs), options);
  refuse_to_overwrite_input(arguments);
  Input input(arguments.input);
  std::optional<Input> prefix;
  if (!arguments.prefix.empty()) prefix.emplace(arguments.prefix);
  Lines lines(input, prefix ? &*prefix : nullptr, translator);
  Output output(arguments.output);
  const bool interactive = arguments.input.empty() && isatty(STDIN_FILENO);
  const int64_t buffer = arguments.buffer > 0 ? arguments.buffer : interactive ? 1 : 2000;
  translate_all(lines, output, translator, buffer, Progress(!interactive));
}

CLI::Validator sound_sampling() {
  return {[](std::string& text) {
            try {
              parse_sampling(text);
            } catch (const Error& error) {
              return std::string(error.what());
            }
            return std::string();
          },
          ""};
}

void add_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("RUN", arguments.runs,
                  "A run's folder, or one of its checkpoints; several translate together")
      ->required()
      ->type_name("");
  command
      .add_option("--input", arguments.input,
                  "Text to translate, plain or gzip (default: standard input)")
      ->type_name("FILE");
  command.add_option("--output", arguments.output, "Where to write (default: standard output)")
      ->type_name("FILE");
  CLI::Option* beam = add_beam(&command, arguments.decoding.beam);
  command
      .add_option(
          "--n-best", arguments.decoding.n_best,
          "Write the N best as NUMBER ||| TEXT ||| SCORES, from a beam at least as wide; 1: "
          "the best as it is, TEXT alone")
      ->check(whole_number(1, 1000))
      ->type_name("N");
  command
      .add_option("--length-penalty", arguments.length_penalty,
                  "Exponent of the length in scores (default: the config's)")
      ->check(number(0, 100))
      ->type_name("X");
  command
      .add_option("--prefix", arguments.prefix,
                  "A file whose line n the translation of line n has to begin with; the search "
                  "goes on from there")
      ->type_name("FILE");
  command
      .add_option(
          "--sampling", arguments.sampling,
          "Draw translations instead: temperature, top-k, top-p and seed, any of them, as in "
          "top-p=0.9,temperature=0.8")
      ->check(sound_sampling())
      ->type_name("HOW")
      ->excludes(beam);
  add_decoding_settings(&command, arguments.decoding.settings);
  command.add_flag("--scores", arguments.scores, "Add each line's score and log-probability");
  command.add_flag("--alignment", arguments.alignment,
                   "Add which words belong together, as i-j, from attention");
  command
      .add_option("--buffer", arguments.buffer,
                  "Lines translated together (default: 2000, and 1 at a terminal)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  add_threads(&command);
}

}  // namespace

void add_translate_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = calque.add_subcommand("translate", "Translate text, line by line");
  add_options(*command, *arguments);
  command->footer(
      "Each line of input gives a line of output, an empty one an empty one. A run means its best\n"
      "checkpoint. SCORES are the one that ranks, penalty included, and the log-probability.\n"
      "Examples: echo 'ein Satz' | calque translate runs/toy --beam 5\n"
      "          calque translate runs/toy --input test.de.gz --set decoding.max_length=100");
  command->callback([arguments] { translate(*arguments); });
}

}  // namespace calque
