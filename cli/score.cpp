// calque score: how probable a model finds given translations or texts.
#include "decode/score.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/error.h"
#include "data/text_lines.h"
#include "data/utf8.h"
#include "data/vocabulary.h"
#include "train/tasks/language_model/language_model_run.h"
#include "train/tasks/translation/translation_run.h"

namespace calque {
namespace {

struct Arguments {
  std::string run, source, target, text;
};

constexpr int64_t lines_at_once = 2000;

std::vector<std::vector<int32_t>> encode(const TextLines& text, int64_t first, int64_t count,
                                         const Tokenizer& tokenizer,
                                         const TransformerOptions& options) {
  std::vector<std::vector<int32_t>> ids;
  for (int64_t i = first; i < first + count; ++i) {
    const std::string line = text.line(i);
    const std::string problem = utf8_problem(line);
    if (!problem.empty()) fail("{}: {}", text.where(i), problem);
    ids.push_back(tokenizer.encode(line));
    if (options.layer.positions == PositionKind::learned &&
        std::ssize(ids.back()) + 1 > options.layer.max_positions) {
      fail("{}: {} tokens, but the model has learned {} positions", text.where(i),
           ids.back().size() + 1, options.layer.max_positions);
    }
  }
  return ids;
}

void print_score(double log_probability, int64_t tokens) {
  fmt::print("{:.4f}\t{:.4f}\t{}\n", log_probability, log_probability / static_cast<double>(tokens),
             tokens);
}

void score_translations_of(const Arguments& arguments) {
  const TranslationRun run = open_translation_run(arguments.run);
  const Transformer& model = run.model->transformer;
  const TextLines source(arguments.source), target(arguments.target);
  if (source.count() != target.count()) {
    fail("{} has {} lines, but {} has {}; line n of one belongs to line n of the other",
         source.path(), source.count(), target.path(), target.count());
  }
  for (int64_t first = 0; first < source.count(); first += lines_at_once) {
    const int64_t count = std::min(lines_at_once, source.count() - first);
    const auto scores =
        score_pairs(model, encode(source, first, count, run.tokenizers.source, model.options),
                    encode(target, first, count, run.tokenizers.target, model.options));
    for (const SequenceScore& pair : scores) {
      print_score(pair.log_probability, pair.tokens);
    }
  }
}

// Each line of a text as a document of its own.
void score_lines_of(const Arguments& arguments) {
  const LanguageModelRun run = open_language_model_run(arguments.run);
  const TextLines text(arguments.text);
  for (int64_t first = 0; first < text.count(); first += lines_at_once) {
    std::vector<std::vector<int32_t>> ids;
    for (int64_t i = first; i < std::min(text.count(), first + lines_at_once); ++i) {
      const std::string line = text.line(i);
      const std::string problem = utf8_problem(line);
      if (!problem.empty()) fail("{}: {}", text.where(i), problem);
      ids.push_back({begin_id});
      run.tokenizer.encode_document(line, ids.back());
      ids.back().push_back(end_id);
    }
    for (const std::vector<real>& tokens :
         token_log_probabilities(run.model(), ids, {.context = run.config.data.context})) {
      print_score(std::accumulate(tokens.begin(), tokens.end(), 0.0), std::ssize(tokens));
    }
  }
}

void score(const Arguments& arguments) {
  if (!arguments.text.empty()) {
    score_lines_of(arguments);
  } else if (!arguments.source.empty()) {
    score_translations_of(arguments);
  } else {
    wrong_command_line("give --source and --target, or --text for a language model");
  }
}

}  // namespace

void add_score_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      calque.add_subcommand("score", "Print how probable a model finds translations or texts");
  command->add_option("RUN", arguments->run, "A run's folder, or one of its checkpoints")
      ->required()
      ->type_name("");
  CLI::Option* source =
      command->add_option("--source", arguments->source, "The sentences, plain or gzip");
  CLI::Option* target =
      command->add_option("--target", arguments->target, "Their translations, line by line");
  command->add_option("--text", arguments->text, "For a language model: texts, a line each")
      ->type_name("FILE")
      ->excludes(source);
  source->type_name("FILE")->needs(target);
  target->type_name("FILE")->needs(source);
  add_threads(command);
  command->footer(
      "Each line of output: natural log-probability, the same per token, and the tokens, with the "
      "end counted.\n"
      "Example: calque score runs/toy --source test.src --target test.tgt\n"
      "         calque score runs/shakespeare --text lines.txt");
  command->callback([arguments] { score(*arguments); });
}

}  // namespace calque
