// calque translate: line in, line out.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "core/parallel.h"
#include "train/line_translation.h"
#include "train/settings.h"

namespace calque {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::string input, output, sampling;
  int64_t beam = 0, n_best = 1, buffer = 0;
  double length_penalty = -1;
  bool alignment = false, scores = false;
  int threads = 0;
};

LineOptions line_options(const Arguments& arguments, const Config& config) {
  LineOptions options{search_options(config.decoding), arguments.scores, arguments.alignment};
  SearchOptions& search = options.search;
  if (arguments.beam > 0) search.beam = arguments.beam;
  search.n_best = arguments.n_best;
  search.beam = std::max(search.beam, search.n_best);
  if (arguments.length_penalty >= 0) search.length_penalty = arguments.length_penalty;
  if (!arguments.sampling.empty()) search.sampling = parse_sampling(arguments.sampling);
  return options;
}

// Where the lines come from; a CR before the line's end and a byte-order mark are no text.
class Input {
 public:
  explicit Input(const std::string& file) : name_(file.empty() ? "standard input" : file) {
    if (file.empty()) return;
    file_.open(file, std::ios::binary);
    if (!file_) fail("{}: cannot be read", file);
  }

  bool next(std::string& line) {
    std::istream& in = file_.is_open() ? file_ : std::cin;
    if (!std::getline(in, line)) {
      if (in.bad()) fail("{}: cannot be read", name_);
      return false;
    }
    ++count_;
    if (line.ends_with('\r')) line.pop_back();
    if (count_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    return true;
  }

  int64_t count() const { return count_; }
  std::string where() const { return fmt::format("{}:{}", name_, count_); }

 private:
  std::string name_;
  std::ifstream file_;
  int64_t count_ = 0;
};

class Output {
 public:
  explicit Output(const std::string& file) : name_(file) {
    if (file.empty()) return;
    file_.open(file, std::ios::binary);
    if (!file_) fail("{}: cannot be written", file);
  }

  void write(const std::string& text) {
    if (!file_.is_open()) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      finish_output();
      return;
    }
    file_ << text << std::flush;
    if (!file_) fail("{}: cannot be written", name_);
  }

 private:
  std::string name_;
  std::ofstream file_;
};

class Progress {
 public:
  explicit Progress(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO)) {}

  void show(int64_t lines, int64_t tokens, const char* ending) const {
    if (!wanted_) return;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    const double seconds = std::max(passed.count(), 1e-3);
    fmt::print(stderr, "\r{} lines, {:.0f} lines/s, {:.0f} tokens/s{}", lines,
               static_cast<double>(lines) / seconds, static_cast<double>(tokens) / seconds, ending);
  }

 private:
  bool wanted_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// At a terminal every line is answered at once; otherwise many are translated together.
void translate_all(Input& input, Output& output, LineTranslator& translator, int64_t buffer,
                   const Progress& progress) {
  std::vector<std::string> lines;
  int64_t translated = 0;
  const auto flush = [&] {
    if (lines.empty()) return;
    output.write(translator.translate(lines, translated));
    translated += std::ssize(lines);
    lines.clear();
    progress.show(translated, translator.tokens_written(), "");
  };
  std::string line;
  while (input.next(line)) {
    if (const std::string objection = translator.objection(line); !objection.empty()) {
      flush();  // what came before it is translated
      fail("{}: {}", input.where(), objection);
    }
    lines.push_back(line);
    if (std::ssize(lines) >= buffer) flush();
  }
  flush();
  progress.show(translated, translator.tokens_written(), "\n");
}

void translate(const Arguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  std::vector<TrainedRun> runs;
  for (const std::string& run : arguments.runs) runs.push_back(open_run(run));
  const LineOptions options = line_options(arguments, runs.front().config);
  LineTranslator translator(std::move(runs), options);
  std::error_code none;  // where one of them is no file that exists
  if (std::filesystem::equivalent(arguments.input, arguments.output, none)) {
    fail("{}: cannot be read and written at once; give --output another name", arguments.output);
  }
  Input input(arguments.input);
  Output output(arguments.output);
  const bool interactive = arguments.input.empty() && isatty(STDIN_FILENO);
  const int64_t buffer = arguments.buffer > 0 ? arguments.buffer : interactive ? 1 : 2000;
  translate_all(input, output, translator, buffer, Progress(!interactive));
}

void add_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("RUN", arguments.runs,
                  "A run's folder, or one of its checkpoints; several translate together")
      ->required();
  command.add_option("--input", arguments.input, "Text to translate (default: standard input)");
  command.add_option("--output", arguments.output, "Where to write (default: standard output)");
  command
      .add_option("--beam", arguments.beam, "Width of the beam, 1: greedy (default: the config's)")
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--n-best", arguments.n_best, "Write the N best as NUMBER ||| TEXT ||| SCORES")
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--length-penalty", arguments.length_penalty,
                  "Exponent of the length in scores (default: the config's)")
      ->check(CLI::Range(0.0, 100.0));
  command.add_option("--sampling", arguments.sampling,
                     "Draw translations: temperature, top-k, top-p and seed, joined by commas");
  command.add_flag("--scores", arguments.scores, "Add each line's score and log-probability");
  command.add_flag("--alignment", arguments.alignment,
                   "Add which words belong together, as i-j, from attention");
  command
      .add_option("--buffer", arguments.buffer,
                  "Lines translated together (default: 2000, and 1 at a terminal)")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--threads", arguments.threads, "Threads (default: all processors)")
      ->check(CLI::Range(1, 1024));
}

}  // namespace

void add_translate_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = calque.add_subcommand("translate", "Translate text, line by line");
  add_options(*command, *arguments);
  command->footer("Example: echo 'ein Satz' | calque translate runs/toy --beam 5");
  command->callback([arguments] { translate(*arguments); });
}

}  // namespace calque
