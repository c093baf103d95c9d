// calque vectors: writes trained word vectors in word2vec's text format.
#include <memory>
#include <string>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tasks/task_commands.h"
#include "train/tasks/word2vec/neighbours.h"
#include "train/tasks/word2vec/run.h"

namespace calque {

void add_vectors_command(CLI::App& calque) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command =
      calque.add_subcommand("vectors", "Write the word vectors of word2vec as a text file");
  add_run(command, *folder);
  command->footer(
      "Writes the number of words and of dimensions, then a line for each word, the most\n"
      "frequent first. model.embeddings, gensim and others read this format.\n"
      "Example: calque vectors runs/word2vec > vectors.txt");
  command->callback([folder] {
    require_task("calque vectors", *folder, {TaskKind::word2vec});
    const Word2VecRun run = open_word2vec_run(*folder);
    write_output(vectors_as_text(run.model().vectors, run.tokenizer));
  });
}

}  // namespace calque
