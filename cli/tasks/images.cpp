// Runs of task: images in the commands that take every task.
#include <fmt/format.h>

#include "cli/result_file.h"
#include "cli/tasks/task_commands.h"
#include "core/error.h"
#include "train/tasks/images/image_evaluation.h"
#include "train/tasks/images/image_run.h"

namespace calque {
namespace {

void check_data(const Config& config) {
  auto corpora = read_image_corpora(config.data.train, Split::train);
  const Labels labels = labels_of(corpora);
  const PixelScale scale = pixel_scale(corpora);
  vision_options(config, scale.shape, std::ssize(labels));
  const auto print = [&](const char* name, std::vector<ImageCorpus> images) {
    if (images.empty()) return;
    const ImageData data = classed_images(std::move(images), labels, scale.shape);
    fmt::print("{}: {} images of {} x {} pixels with {} channels\n", name, data.count(),
               scale.shape.width, scale.shape.height, scale.shape.channels);
    for (size_t c = 0; c < labels.size(); ++c) fmt::print("  {}: {}\n", labels[c], data.counts[c]);
  };
  print("train", std::move(corpora));
  print("validation", read_image_corpora(config.data.validation, Split::validation));
  print("test", read_image_corpora(config.data.test, Split::test));
}

void evaluate(const EvaluateArguments& arguments, const std::vector<CorpusOfSplit>& corpora) {
  require_one_run(arguments.runs);
  const ImageRun run = open_image_run(arguments.runs.front());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::string predicted;
  for (const auto& [corpus, split] : corpora) {
    const ImageData data =
        classed_images({read_image_corpus(corpus, split)}, run.labels, run.scale.shape);
    const ClassificationResult result =
        evaluate_images(run.model(), run.scale, data, run.config.training.label_smoothing);
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

void score(const ScoreArguments& arguments) {
  fail("{}: a classifier has no probabilities of texts; calque classify prints those of classes",
       arguments.run);
}

Explanation explain(const ExplainArguments& arguments) {
  fail("{}: calque explain supports translation and language models, not classifiers",
       arguments.run);
}

}  // namespace

const TaskCommands images_commands = {
    .task = TaskKind::images,
    .check_data = check_data,
    .evaluate = evaluate,
    .score = score,
    .explain = explain,
    .files_to_evaluate = "--images",
};

}  // namespace calque
