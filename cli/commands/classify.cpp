// calque classify: the class of each line of standard input, or of each image file.
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/tasks/task_commands.h"

namespace calque {

void add_classify_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ClassifyArguments>();
  const auto options = std::make_shared<TaskOptions>();
  CLI::App* command =
      calque.add_subcommand("classify", "Print the class of each line of stdin, or of each image");
  add_run(command, arguments->run);
  options
      ->add(tasks_with(&TaskCommands::classify, Feature::pixels),
            command->add_option("IMAGE", arguments->images,
                                "PNG or JPEG files, for a run of task: images"))
      ->type_name("");
  command->add_flag("--probabilities", arguments->probabilities,
                    "Print the probability after each label");
  command->add_option("--top", arguments->top, "Print the N most probable labels (default: 1)")
      ->check(whole_number(1))
      ->type_name("N");
  options->add(tasks_with(&TaskCommands::classify, Feature::text),
               add_invalid_utf8(command, arguments->invalid));
  add_threads(command);
  command->footer(
      "A tab separates the two texts of a pair. For an image, the line begins with the file. "
      "Labels "
      "and probabilities are separated by tabs.\n"
      "Example: echo 'How far is the moon ?' | calque classify runs/trec --probabilities --top 3");
  command->callback([arguments, options] {
    const auto classify =
        command_for("calque classify", arguments->run.path, &TaskCommands::classify);
    options->check(arguments->run.path);
    classify(*arguments);
  });
}

}  // namespace calque
