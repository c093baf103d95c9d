// calque neighbours: prints the words nearest to a word, or the answers to an analogy.
#include "train/tasks/word2vec/neighbours.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "data/text/utf8.h"
#include "train/tasks/word2vec/run.h"

namespace calque {
namespace {

struct NeighboursArguments {
  std::string run;
  std::vector<std::string> words;
  int64_t count = 10;
};

void neighbours(const NeighboursArguments& arguments) {
  if (arguments.words.size() != 1 && arguments.words.size() != 3) {
    wrong_command_line("give one word, or three for an analogy: man king woman");
  }
  require_task("calque neighbours", arguments.run, {TaskKind::word2vec});
  const Word2VecRun run = open_word2vec_run(arguments.run);
  const WordSpace space(run.model().vectors, run.tokenizer);
  std::vector<int32_t> ids;
  for (const std::string& word : arguments.words) {
    const std::string problem = utf8_problem(word);
    if (!problem.empty()) fail("the word: {}", problem);
    ids.push_back(space.id_of(word));
  }
  const auto found = ids.size() == 1 ? space.near(ids[0], arguments.count)
                                     : space.analogous(ids[0], ids[1], ids[2], arguments.count);
  for (const NearRow& neighbour : found) {
    write_output(
        fmt::format("{}\t{:.4f}\n", run.tokenizer.symbol(neighbour.row), neighbour.cosine));
  }
}

}  // namespace

void add_neighbours_command(CLI::App& calque) {
  const auto arguments = std::make_shared<NeighboursArguments>();
  CLI::App* command = calque.add_subcommand(
      "neighbours", "Print the words nearest to a word, or the answers to an analogy, by word2vec");
  add_run(command, arguments->run);
  command
      ->add_option("WORD", arguments->words,
                   "One word; or three words A B C of an analogy: A is to B as C is to the answer")
      ->required()
      ->type_name("");
  command->add_option("--count", arguments->count, "Print the N nearest words (default: 10)")
      ->check(whole_number(1))
      ->type_name("N");
  add_threads(command);
  command->footer(
      "Prints a line for each neighbour, nearest first: the word and its cosine similarity,\n"
      "separated by a tab. The given words are excluded.\n"
      "Example: calque neighbours runs/word2vec king\n"
      "Example: calque neighbours runs/word2vec man king woman");
  command->callback([arguments] { neighbours(*arguments); });
}

}  // namespace calque
