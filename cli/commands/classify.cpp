// calque classify: the class of each line of standard input, or of each image file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/line_streams.h"
#include "cli/output.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "core/threads/largest_first.h"
#include "data/text/utf8.h"
#include "train/tasks/classification/evaluation.h"
#include "train/tasks/classification/run.h"
#include "train/tasks/images/evaluation.h"
#include "train/tasks/images/run.h"

namespace calque {
namespace {

struct ClassifyArguments {
  std::string run;
  std::vector<std::string> images;
  bool probabilities = false;
  int64_t top = 1;
};

std::vector<std::string> texts_of(const std::string& line, const LineInput& input) {
  const std::string problem = utf8_problem(line);
  if (!problem.empty()) fail("{}: {}", input.where(), problem);
  const size_t tab = line.find('\t');
  if (tab == line.npos) return {line};
  if (line.find('\t', tab + 1) != line.npos) {
    fail("{}: has more than two texts; a tab separates the two texts of a pair", input.where());
  }
  return {line.substr(0, tab), line.substr(tab + 1)};
}

std::string result_line(const Labels& labels, const std::vector<double>& probabilities,
                        const ClassifyArguments& arguments) {
  std::vector<size_t> order = largest_first(probabilities);
  order.resize(std::min(order.size(), static_cast<size_t>(arguments.top)));
  std::string line;
  for (const size_t i : order) {
    line += (line.empty() ? "" : "\t") + labels[i];
    if (arguments.probabilities) line += fmt::format("\t{:.4f}", probabilities[i]);
  }
  return line + '\n';
}

void classify_images(const ClassifyArguments& arguments) {
  if (arguments.images.empty()) {
    wrong_command_line(
        fmt::format("{} is of task: images; name image files after the run", arguments.run));
  }
  const ImageRun run = open_image_run(arguments.run);
  for (const std::string& path : arguments.images) {
    const auto probabilities =
        class_probabilities(run.model(), run.preparation, run.read(path).pixels);
    write_output(path + '\t' + result_line(run.labels, probabilities, arguments));
  }
}

void classify(const ClassifyArguments& arguments) {
  constexpr int64_t lines_at_once = 256;
  require_task("calque classify", arguments.run, {TaskKind::classification, TaskKind::images});
  if (find_run(arguments.run).config.task == TaskKind::images) return classify_images(arguments);
  if (!arguments.images.empty()) require_task("IMAGE", arguments.run, TaskKind::images);
  const ClassificationRun run = open_classification_run(arguments.run);
  std::vector<EncodedText> texts;
  const auto print = [&] {
    for (const auto& probabilities : class_probabilities(run.model(), texts)) {
      write_output(result_line(run.labels, probabilities, arguments));
    }
    texts.clear();
  };
  LineInput input("");
  std::string line;
  while (input.next(line)) {
    texts.push_back(encode_texts(texts_of(line, input), run.tokenizer, run.config.data.context));
    if (std::ssize(texts) == lines_at_once) print();
  }
  print();
}

}  // namespace

void add_classify_command(CLI::App& calque) {
  const auto arguments = std::make_shared<ClassifyArguments>();
  CLI::App* command =
      calque.add_subcommand("classify", "Print the class of each line of stdin, or of each image");
  command->add_option("RUN", arguments->run, "The folder of a run or of one of its checkpoints")
      ->required()
      ->type_name("");
  command->add_option("IMAGE", arguments->images, "PNG or JPEG files, for a run of task: images")
      ->type_name("");
  command->add_flag("--probabilities", arguments->probabilities,
                    "Print the probability after each label");
  command->add_option("--top", arguments->top, "Print the N most probable labels (default: 1)")
      ->check(whole_number(1))
      ->type_name("N");
  add_threads(command);
  command->footer(
      "A tab separates the two texts of a pair. For an image, the line begins with the file. "
      "Labels "
      "and probabilities are separated by tabs.\n"
      "Example: echo 'How far is the moon ?' | calque classify runs/trec --probabilities --top 3");
  command->callback([arguments] { classify(*arguments); });
}

}  // namespace calque
