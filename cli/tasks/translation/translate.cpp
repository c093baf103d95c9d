// calque translate: reads lines and writes their translations.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/decoding_arguments.h"
#include "cli/language_arguments.h"
#include "cli/line_streams.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/sampling_arguments.h"
#include "cli/tasks/task_commands.h"
#include "cli/tasks/translation/glossary_option.h"
#include "cli/tasks/translation/line_warnings.h"
#include "cli/tasks/translation/translate_document.h"
#include "cli/tasks/translation/translate_po.h"
#include "cli/tasks/translation/translate_text.h"
#include "core/error.h"
#include "train/tasks/translation/catalogue.h"
#include "train/tasks/translation/confidence/confidence.h"
#include "train/tasks/translation/lines.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

struct TranslateArguments {
  std::vector<std::string> runs;
  std::optional<Precision> precision;
  LanguageChoice languages;
  DecodingChoice decoding;
  std::string input, output, prefix, po, document, glossary;
  std::vector<std::string> memory;
  std::optional<Sampling> sampling;
  int64_t buffer = 0;
  InvalidLine invalid = InvalidLine::error;
  double length_penalty = -1;
  bool alignment = false, scores = false, confidence = false, text = false;
};

LineOptions line_options(const TranslateArguments& arguments, const DecodingConfig& decoding) {
  LineOptions options{text_search(decoding), arguments.scores, arguments.alignment};
  TextSearch& search = options.search;
  if (arguments.length_penalty >= 0) {
    if (search.penalty == SearchOptions::Penalty::none) {
      fail("--length-penalty needs a decoding.length_penalty_kind other than none; set one");
    }
    search.length_penalty = arguments.length_penalty;
  }
  search.sampling = arguments.sampling;
  return options;
}

// Lines to translate together, with the prefixes of their translations if there is a --prefix.
class InputLines {
 public:
  InputLines(LineInput& input, LineInput* prefix, const LineTranslator& translator)
      : input_(input), prefix_(prefix), translator_(translator) {}

  const LineInput& input() const { return input_; }
  int64_t count() const { return std::ssize(lines_); }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<std::string>& prefixes() const { return prefixes_; }
  void clear() { lines_.clear(), prefixes_.clear(); }

  // Adds a line; returns false at the end of the input. Throws Error for a line that cannot be
  // translated.
  bool read() {
    std::string line;
    const bool more = input_.next(line);
    if (prefix_) {
      std::string prefix;
      if (prefix_->next(prefix) != more) {
        const LineInput* shorter = more ? prefix_ : &input_;
        fail(
            "{}: has {} lines than {}: {} ends after line {}; line n of one belongs to line n of "
            "the other",
            prefix_->name(), more ? "fewer" : "more", input_.name(), shorter->name(),
            shorter->count());
      }
      if (more) check(*prefix_, prefix, PairSide::target);
      if (more) check(input_, line, PairSide::source);
      if (more) prefixes_.push_back(prefix);
    } else if (more) {
      check(input_, line, PairSide::source);
    }
    if (more) lines_.push_back(line);
    return more;
  }

 private:
  void check(const LineInput& from, const std::string& line, PairSide side) {
    const std::string objection = translator_.objection(line, side);
    if (!objection.empty()) fail("{}: {}", from.where(), objection);
  }

  LineInput& input_;
  LineInput* prefix_;
  const LineTranslator& translator_;
  std::vector<std::string> lines_, prefixes_;
};

void translate_all(InputLines& lines, LineOutput& output, LineTranslator& translator,
                   int64_t buffer, const Progress& progress) {
  int64_t translated = 0;
  LineWarnings warnings(lines.input(), progress);
  const auto flush = [&] {
    if (lines.count() == 0) return;
    output.write(translator.translate(lines.lines(), translated, lines.prefixes()));
    warnings.add(translator.take_warnings());
    translated += lines.count();
    lines.clear();
    progress.show("lines", translated, translator.tokens_written());
  };
  const auto read = [&] {
    try {
      return lines.read();
    } catch (const Error&) {
      flush();  // the lines before the one that failed
      throw;
    }
  };
  while (read()) {
    if (lines.count() >= buffer) flush();
  }
  flush();
  progress.end();
  warnings.end();
}

// Opening --output truncates it before the first line is read.
void refuse_to_overwrite_input(const TranslateArguments& arguments) {
  std::error_code ignored;  // the input, the prefix or the output may not exist
  if (!std::filesystem::is_regular_file(arguments.output, ignored)) return;
  const std::string input = arguments.input.empty() ? "/dev/stdin" : arguments.input;
  for (const std::string& read : {input, arguments.prefix}) {
    if (std::filesystem::equivalent(read, arguments.output, ignored)) {
      fail("{}: cannot be read and written at once; give --output another name", arguments.output);
    }
  }
}

void translate(TranslateArguments arguments) {
  for (std::string* file : {&arguments.input, &arguments.output}) {
    if (*file == "-") file->clear();  // the standard streams, as without the option
  }
  for (const std::string& run : arguments.runs) {
    require_task("calque translate", run, {TaskKind::translation});
  }
  std::vector<TranslationRun> runs =
      open_translation_runs(places(arguments.runs, arguments.precision), arguments.languages);
  const DecodingConfig decoding = decoding_of(runs.front(), arguments.decoding);
  LineOptions options = line_options(arguments, decoding);
  options.search.terms = term_use_of(arguments.glossary, runs, decoding);
  if (arguments.confidence) options.confidence = calibration_of(runs.front());
  if (!arguments.po.empty()) {
    TextTranslator translator(runs, options.search, keep_in_catalogue);
    return translate_po(arguments.po, arguments.memory,
                        arguments.output.empty() ? "-" : arguments.output, translator);
  }
  if (!arguments.document.empty()) {
    DocumentTranslator translator(runs, options.search);
    return translate_document(arguments.document, arguments.output.empty() ? "-" : arguments.output,
                              translator);
  }
  refuse_to_overwrite_input(arguments);
  LineInput input(arguments.input, arguments.invalid);
  const bool interactive = arguments.input.empty() && isatty(STDIN_FILENO);
  const int64_t buffer = arguments.buffer > 0 ? arguments.buffer : interactive ? 1 : 2000;
  if (arguments.text) {
    TextTranslator translator(runs, options.search);
    LineOutput output(arguments.output);
    return translate_text(input, output, translator, buffer, Progress(!interactive));
  }
  LineTranslator translator(std::move(runs), options);
  std::optional<LineInput> prefix;
  if (!arguments.prefix.empty()) prefix.emplace(arguments.prefix, arguments.invalid);
  InputLines lines(input, prefix ? &*prefix : nullptr, translator);
  LineOutput output(arguments.output);
  translate_all(lines, output, translator, buffer, Progress(!interactive));
}

void add_options(CLI::App& command, TranslateArguments& arguments) {
  command
      .add_option("RUN", arguments.runs,
                  "The folder of a run or of one of its checkpoints; several form an ensemble")
      ->required()
      ->type_name("");
  CLI::Option* po =
      command
          .add_option("--po", arguments.po,
                      "A gettext catalogue: write it with its untranslated messages filled")
          ->type_name("FILE");
  CLI::Option* document = command
                              .add_option("--document", arguments.document,
                                          "A .html, .htm, .xhtml, .md, .markdown, .srt, .vtt, .xlf "
                                          "or .xliff: write it with its texts "
                                          "translated")
                              ->excludes(po)
                              ->type_name("FILE");
  command
      .add_option("--memory", arguments.memory,
                  "A .po, .mo, .tmx or .xlf whose translations of equal messages come first; "
                  "repeatable")
      ->needs(po)
      ->allow_extra_args(false)
      ->type_name("FILE");
  command
      .add_option("--input", arguments.input,
                  "Text to translate, plain, gzip or zstd (default: standard input)")
      ->excludes(po)
      ->excludes(document)
      ->type_name("FILE");
  command.add_option("--output", arguments.output, "Where to write (default: standard output)")
      ->type_name("FILE");
  add_target_language(&command, arguments.languages);
  add_source_language(&command, arguments.languages);
  CLI::Option* beam = add_beam(&command, arguments.decoding.beam);
  CLI::Option* text = command.add_flag(
      "--text", arguments.text,
      "Divide each line into sentences, translate these, and keep the white space between them");
  text->excludes(po)->excludes(document);
  command
      .add_option(
          "--n-best", arguments.decoding.n_best,
          "Write the N best translations as NUMBER ||| TEXT ||| SCORES, from a beam of at least N; "
          "1 writes only TEXT")
      ->check(whole_number(1, 1000))
      ->excludes(text)
      ->excludes(po)
      ->excludes(document)
      ->type_name("N");
  command
      .add_option("--length-penalty", arguments.length_penalty,
                  "Exponent of the length penalty (default: the config's)")
      ->check(number(0, 100))
      ->type_name("X");
  command
      .add_option("--prefix", arguments.prefix,
                  "The translation of line n begins with line n of this file")
      ->excludes(text)
      ->excludes(po)
      ->excludes(document)
      ->type_name("FILE");
  CLI::Option* glossary = add_glossary(command, arguments.glossary);
  add_sampling_option(command, arguments.sampling)->excludes(beam);
  add_minimum_risk(&command, arguments.decoding);
  add_decoding_settings(&command, arguments.decoding.settings);
  command
      .add_flag("--scores", arguments.scores,
                "Add the score and the log-probability of each translation")
      ->excludes(text)
      ->excludes(po)
      ->excludes(document);
  command
      .add_flag("--alignment", arguments.alignment,
                "Add the alignment of words as i-j, from attention")
      ->excludes(glossary)
      ->excludes(text)
      ->excludes(po)
      ->excludes(document);
  command
      .add_flag(
          "--confidence", arguments.confidence,
          "Add how probably the translation and each of its words are right; calque calibrate "
          "comes first")
      ->excludes(text)
      ->excludes(po)
      ->excludes(document);
  command
      .add_option("--buffer", arguments.buffer,
                  "Lines translated together (default: 2000, and 1 at a terminal)")
      ->check(whole_number(1, 1'000'000))
      ->excludes(document)
      ->type_name("N");
  add_invalid_utf8(&command, arguments.invalid)->excludes(document);
  add_precision(&command, arguments.precision);
  add_threads(&command);
}

}  // namespace

void add_translate_command(CLI::App& calque) {
  const auto arguments = std::make_shared<TranslateArguments>();
  CLI::App* command = calque.add_subcommand("translate", "Translate lines, texts or documents");
  add_options(*command, *arguments);
  command->footer(
      "Writes one line for each line of input (several with --n-best); an empty line has an empty\n"
      "translation, or its --prefix. If RUN is the folder of a run, its best checkpoint is used.\n"
      "SCORES are the score, which includes the length penalty, and the log-probability.\n"
      "With --text, a line has any number of sentences, and line ends stay as they are.\n"
      "With --po, filled messages are marked as fuzzy; directives, tags and accelerators stay.\n"
      "With --document, markup, code, times and all else that is no text stay as they are.\n"
      "Examples: echo 'ein Satz' | calque translate runs/toy --beam 5\n"
      "          calque translate runs/toy --text --input letter.de --output letter.en\n"
      "          calque translate runs/many --to fr --input test.en\n"
      "          calque translate runs/toy --po de.po --output de.po\n"
      "          calque translate runs/toy --document page.html --output translated.html\n"
      "          calque translate runs/toy --input test.de.gz --set decoding.max_length=100");
  command->callback([arguments] { translate(*arguments); });
}

}  // namespace calque
