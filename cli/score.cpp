// calque score: how probable a model finds given translations.
#include "decode/score.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "core/error.h"
#include "data/text_lines.h"
#include "data/utf8.h"
#include "train/trained_run.h"

namespace calque {
namespace {

struct Arguments {
  std::string run, source, target;
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
    if (options.positions == PositionKind::learned &&
        std::ssize(ids.back()) + 1 > options.max_positions) {
      fail("{}: {} tokens, but the model has learned {} positions", text.where(i),
           ids.back().size() + 1, options.max_positions);
    }
  }
  return ids;
}

void score(const Arguments& arguments) {
  const TrainedRun run = open_run(arguments.run);
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
    for (const PairScore& pair : scores) {
      fmt::print("{:.4f}\t{:.4f}\t{}\n", pair.log_probability, pair.per_token(), pair.tokens);
    }
  }
}

}  // namespace

void add_score_command(CLI::App& calque) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      calque.add_subcommand("score", "Tell how probable a model finds translations");
  command->add_option("RUN", arguments->run, "A run's folder, or one of its checkpoints")
      ->required()
      ->type_name("");
  command->add_option("--source", arguments->source, "The sentences, plain or gzip")
      ->required()
      ->type_name("FILE");
  command->add_option("--target", arguments->target, "Their translations, line by line")
      ->required()
      ->type_name("FILE");
  add_threads(command);
  command->footer(
      "Each line of output: natural log-probability, the same per token, and the tokens, with the "
      "end counted.\n"
      "Example: calque score runs/toy --source test.src --target test.tgt");
  command->callback([arguments] { score(*arguments); });
}

}  // namespace calque
