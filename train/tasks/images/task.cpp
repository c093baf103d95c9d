// task: images. A Vision Transformer is trained to name the class of an image.
#include "train/tasks/classes/task.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "train/tasks/descriptor.h"
#include "train/tasks/images/evaluation.h"
#include "train/tasks/images/run.h"
#include "train/tasks/loss_metrics.h"

namespace calque {

extern const TaskDescriptor images_task;

namespace {

using Purpose = TaskStart::Purpose;

// For use, the run's preparation. For training, that of the weights of model.init_from, if any; a
// run that has begun keeps its own.
std::optional<ImagePreparation> initial_preparation(const Config& config, const RunFolder& run,
                                                    const TaskStart& start) {
  if (start.purpose == Purpose::use) return load_preparation(run);
  if (config.model.init_from.empty()) return std::nullopt;
  const std::string& weights = config.model.init_from;
  if (start.purpose == Purpose::begin) return preparation_beside(weights);
  const bool kept = std::filesystem::exists(run.images());
  const bool lost = start.purpose == Purpose::resume && !std::filesystem::exists(weights);
  return kept || lost ? load_preparation(run) : preparation_beside(weights);
}

TrainingImages training_images(const Config& config, const RunFolder& run, const TaskStart& start) {
  const auto initial = initial_preparation(config, run, start);
  if (start.purpose == Purpose::use) return {{}, *initial};
  return read_training_images(config, initial);
}

class ImagesTask : public ClassesTask<VisionTransformer, ImageData> {
 public:
  ImagesTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : ImagesTask(config, run, start, training_images(config, run, start)) {}

  std::vector<SideFile> side_files() const override { return {labels_file, preparation_file}; }
  std::string tokenizer_hash() const override { return no_tokenizer_hash(); }

  std::string data_description() const override {
    const ImageShape& shape = preparation_.fit.shape;
    return fmt::format("{} {} images of {} x {} pixels and {} classes, {} tokens each",
                       data_.count(), shape.channels == 1 ? "gray" : "color", shape.width,
                       shape.height, labels_.size(), network_.model.options.tokens());
  }

 private:
  ImagesTask(const Config& config, const RunFolder& run, const TaskStart& start,
             TrainingImages images)
      : ImagesTask(config, run, start, std::move(images),
                   start.purpose == Purpose::use ? load_labels(run) : labels_of(images.corpora)) {}

  ImagesTask(const Config& config, const RunFolder& run, const TaskStart& start,
             TrainingImages&& images, const Labels& labels)
      : ClassesTask(config,
                    vision_options(config, images.preparation.fit.shape, std::ssize(labels)),
                    labels),
        preparation_(std::move(images.preparation)) {
    if (start.purpose == Purpose::use) return;
    const ImageFit& fit = preparation_.fit;
    set_training_data(classed_images(std::move(images.corpora), labels_, fit.shape));
    validation_ = classed_images(
        read_image_corpora(config_.data.validation, Split::validation, fit), labels_, fit.shape);
    if (!writes_findings(start, data_hash())) return;
    save_labels(labels_, run);
    save_preparation(preparation_, run);
  }

  ExampleTraining examples() const override {
    return {.set = example_set(data_, network_.model.options.tokens(), config_.augment,
                               static_cast<uint64_t>(config_.training.seed)),
            .forward = [this](std::span<const Example> images) {
              const Tensor pixels = normalised_pixels(preparation_, images);
              std::vector<int32_t> labels;
              for (const Example& image : images) labels.push_back(image[1].front());
              const auto pass = [&] { return network_.model.pooled(pixels, Mode::train); };
              return loss(pass, labels);
            }};
  }

  ClassificationResult evaluate(BatchShare share) const override {
    return evaluate_images(network_.model, preparation_, validation_,
                           config_.training.label_smoothing, share);
  }

  const ImagePreparation preparation_;
};

}  // namespace

const TaskDescriptor images_task = {
    .kind = TaskKind::images,
    .make = make_task_of<ImagesTask>,
    .metrics = class_metrics,
    .contradictions = class_weight_contradictions,
};

}  // namespace calque
