// calque embed: a vector for each line of standard input.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/line_streams.h"
#include "cli/output.h"
#include "cli/tasks/task_commands.h"
#include "train/tasks/registry.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

void embed(const RunPlace& place, InvalidLine invalid) {
  require_task("calque embed", place.path, tasks_that_embed());
  const SentenceEncoder run = descriptor_of(find_run(place.path).config.task).open_encoder(place);
  for_lines_of_input(
      invalid, [&](const std::string& line, const LineInput&) { return run.tokenize(line); },
      [&](const std::vector<std::vector<int32_t>>& texts) {
        for (const auto& vector : sentence_embeddings(run, texts)) {
          write_output(fmt::format("{}\n", fmt::join(vector, " ")));
        }
      });
}

}  // namespace

void add_embed_command(CLI::App& calque) {
  const auto place = std::make_shared<RunPlace>();
  const auto invalid = std::make_shared<InvalidLine>(InvalidLine::error);
  CLI::App* command =
      calque.add_subcommand("embed", "Print the embedding of each line of standard input");
  add_run(command, *place);
  add_invalid_utf8(command, *invalid);
  add_threads(command);
  command->footer(
      "RUN is of task: language-model, masked-lm or classification. The embedding of a text is "
      "the\n"
      "mean of the model's vectors over its tokens, scaled to length 1. The numbers are separated\n"
      "by spaces and restore each float exactly; numpy.loadtxt reads them. A text longer than the\n"
      "model's context is cut at the end.\n"
      "Example: calque embed runs/minilm < sentences.txt > vectors.txt");
  command->callback([place, invalid] { embed(*place, *invalid); });
}

}  // namespace calque
