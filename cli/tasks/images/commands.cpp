// What evaluate, explain, classify and data check do with runs of task: images.
#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "train/tasks/images/evaluation.h"
#include "train/tasks/images/explanation.h"
#include "train/tasks/images/run.h"

namespace calque {
namespace {

void check_image_data(const Config& config) {
  const std::string& weights = config.model.init_from;
  auto [corpora, preparation] =
      read_training_images(config, weights.empty() ? std::nullopt : preparation_beside(weights));
  const ImageFit& fit = preparation.fit;
  const Labels labels = labels_of(corpora);
  vision_options(config, fit.shape, std::ssize(labels));
  const auto print = [&](const char* name, std::vector<ImageCorpus> images) {
    if (images.empty()) return;
    const ImageData data = classed_images(std::move(images), labels, fit.shape);
    fmt::print("{}: {} images of {} x {} pixels with {} channels\n", name, data.count(),
               fit.shape.width, fit.shape.height, fit.shape.channels);
    for (size_t c = 0; c < labels.size(); ++c) fmt::print("  {}: {}\n", labels[c], data.counts[c]);
  };
  print("train", std::move(corpora));
  print("validation", read_image_corpora(config.data.validation, Split::validation, fit));
  print("test", read_image_corpora(config.data.test, Split::test, fit));
}

void evaluate_images(const EvaluateArguments& arguments,
                     const std::vector<CorpusOfSplit>& corpora) {
  const ImageRun run = open_image_run(arguments.run());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::string predicted;
  for (const auto& [corpus, split] : corpora) {
    const ImageData data = classed_images({read_image_corpus(corpus, split, run.preparation.fit)},
                                          run.labels, run.preparation.fit.shape);
    const ClassificationResult result =
        evaluate_images(run.model(), run.preparation, data, run.config.training.label_smoothing);
    for (int64_t i = 0; i < data.count(); ++i) {
      const auto label = [&](int32_t number) { return run.labels[static_cast<size_t>(number)]; };
      const std::string found = label(result.predicted[static_cast<size_t>(i)]);
      predicted += found + '\n';
      if (i >= arguments.samples) continue;
      fmt::print("  {}\n  = {}\n  > {}\n\n", data.where(i),
                 label(data.labels[static_cast<size_t>(i)]), found);
    }
    fmt::print("{}: {} images\n  {}", data.corpora.front().name, data.count(),
               text_of(result, run.labels));
  }
  if (!arguments.output.empty()) write_result(arguments.output, predicted);
}

void classify_images(const ClassifyArguments& arguments) {
  if (arguments.images.empty()) {
    wrong_command_line(
        fmt::format("{} is of task: images; name image files after the run", arguments.run.path));
  }
  const ImageRun run = open_image_run(arguments.run);
  for (const std::string& path : arguments.images) {
    const auto probabilities =
        class_probabilities(run.model(), run.preparation, run.read(path).pixels);
    write_output(path + '\t' + class_line(run.labels, probabilities, arguments));
  }
}

std::string explain_image_file(const ExplainArguments& arguments) {
  const ImageExplanation explanation = explain_image(open_image_run(arguments.run), arguments.text);
  return arguments.form == ExplainArguments::Form::json ? image_json(explanation)
                                                        : image_page(explanation);
}

}  // namespace

extern const TaskCommands images_commands;
const TaskCommands images_commands = {
    .task = TaskKind::images,
    .files_to_evaluate = "--images",
    .path_to_evaluate = &CorpusConfig::images,
    .path_type = "PATH",
    .path_meaning = "Images: evaluate on this folder of classes or IDX file instead",
    .check_data = check_image_data,
    .evaluate = evaluate_images,
    .explain = explain_image_file,
    .classify = classify_images,
};

}  // namespace calque
