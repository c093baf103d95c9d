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
#include "core/error.h"
#include "data/text/utf8.h"
#include "train/tasks/registry.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

void embed(const std::string& folder) {
  constexpr int64_t lines_at_once = 256;
  require_task("calque embed", folder, tasks_that_embed());
  const SentenceEncoder run = descriptor_of(find_run(folder).config.task).open_encoder(folder);
  std::vector<EncodedText> texts;
  const auto print = [&] {
    for (const std::vector<real>& vector : sentence_embeddings(*run.encoder, texts)) {
      write_output(fmt::format("{}\n", fmt::join(vector, " ")));
    }
    texts.clear();
  };
  LineInput input("");
  std::string line;
  while (input.next(line)) {
    const std::string problem = utf8_problem(line);
    if (!problem.empty()) fail("{}: {}", input.where(), problem);
    texts.push_back(run.encode(line));
    if (std::ssize(texts) == lines_at_once) print();
  }
  print();
}

}  // namespace

void add_embed_command(CLI::App& calque) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command =
      calque.add_subcommand("embed", "Print the embedding of each line of standard input");
  add_run(command, *folder);
  add_threads(command);
  command->footer(
      "RUN is of task: masked-lm or classification. The embedding of a text is the mean of the\n"
      "encoder's vectors over its tokens, scaled to length 1. The numbers are separated by spaces\n"
      "and restore each float exactly; numpy.loadtxt reads them. A text longer than the model's\n"
      "context is cut at the end.\n"
      "Example: calque embed runs/minilm < sentences.txt > vectors.txt");
  command->callback([folder] { embed(*folder); });
}

}  // namespace calque
