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
#include "data/utf8.h"
#include "train/tasks/sentence_embeddings.h"

namespace calque {
namespace {

void embed(const std::string& place) {
  constexpr int64_t lines_at_once = 256;
  require_task("calque embed", place, {std::begin(embedding_tasks), std::end(embedding_tasks)});
  const SentenceEncoder run(place);
  std::vector<EncodedText> texts;
  const auto print = [&] {
    for (const std::vector<real>& vector : sentence_embeddings(run.encoder(), texts)) {
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
  const auto place = std::make_shared<std::string>();
  CLI::App* command =
      calque.add_subcommand("embed", "Print a vector for each line of stdin, its embedding");
  command->add_option("RUN", *place, "The folder of a run or of one of its checkpoints")
      ->required()
      ->type_name("");
  add_threads(command);
  command->footer(
      "RUN is of task: masked-lm or classification. The vector of a text is the mean over its\n"
      "tokens, of length 1. Its numbers are separated by spaces and have all digits of a float;\n"
      "numpy.loadtxt reads them. Longer texts than the model's context are cut.\n"
      "Example: calque embed runs/minilm < sentences.txt > vectors.txt");
  command->callback([place] { embed(*place); });
}

}  // namespace calque
