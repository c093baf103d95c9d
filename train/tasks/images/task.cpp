// task: images. A Vision Transformer is trained to name the class of an image.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "data/files/content_hash.h"
#include "train/config/schema.h"
#include "train/tasks/classes/weights.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/descriptor.h"
#include "train/tasks/example_works.h"
#include "train/tasks/images/evaluation.h"
#include "train/tasks/images/run.h"
#include "train/tasks/images/work.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/shared_validation.h"

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

class ImagesTask : public Task {
 public:
  ImagesTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : ImagesTask(config, run, start, training_images(config, run, start)) {}

  Parameters& parameters() override { return network_.parameters; }
  std::vector<SideFile> side_files() const override { return {labels_file, preparation_file}; }
  std::span<const MetricInfo> metrics() const override { return class_metrics(); }
  std::string tokenizer_hash() const override { return no_tokenizer_hash(); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::string data_description() const override {
    return fmt::format("{} {} images of {} x {} pixels and {} classes, {} tokens each",
                       data_.count(), preparation_.fit.shape.channels == 1 ? "gray" : "color",
                       preparation_.fit.shape.width, preparation_.fit.shape.height, labels_.size(),
                       network_.model.options.tokens());
  }

  std::unique_ptr<WorkStream> training(StreamPosition from) override {
    const ExampleSet examples = example_set(data_, network_.model.options.tokens(), config_.augment,
                                            static_cast<uint64_t>(config_.training.seed));
    const ImageTraining with{network_.model, config_.training, preparation_, class_weights_, data_};
    const MakeWork make = [with](const ExampleBatch& batch) -> std::unique_ptr<Work> {
      PackedImages packed;
      for (const Example& e : batch.examples) packed.append(e[0], e[1].front());
      return std::make_unique<ImageWork>(with, std::move(packed), batch.numbers);
    };
    return std::make_unique<ExampleWorks>(examples, examples.costs, batch_options(config_.training),
                                          from, make);
  }

  bool validates() const override { return validation_.count() > 0; }

  std::optional<Scores> validate(Communicator& ranks, const std::function<bool()>& stop) override {
    return shared_validation(ranks, stop, [&](const BatchShare& share) -> Scores {
      const ClassificationResult result = evaluate_images(network_.model, preparation_, validation_,
                                                          config_.training.label_smoothing, share);
      return {result.values(),
              share.is_rank_zero() ? samples(result) : std::vector<Sample>(),
              {confusion_table(result.confusion, labels_)}};
    });
  }

 private:
  ImagesTask(const Config& config, const RunFolder& run, const TaskStart& start,
             TrainingImages images)
      : config_(config),
        labels_(start.purpose == Purpose::use ? load_labels(run) : labels_of(images.corpora)),
        preparation_(std::move(images.preparation)),
        network_(vision_options(config_, preparation_.fit.shape, std::ssize(labels_))) {
    if (start.purpose == Purpose::use) return;
    data_ = classed_images(std::move(images.corpora), labels_, preparation_.fit.shape);
    class_weights_ = class_weights(config_.training.class_weights, labels_, data_.counts);
    validation_ = classed_images(
        read_image_corpora(config_.data.validation, Split::validation, preparation_.fit), labels_,
        preparation_.fit.shape);
    // A resumed run keeps its files until its data is known to be the checkpoint's.
    if (start.purpose == Purpose::begin ||
        (start.purpose == Purpose::resume && start.data_hash == hexadecimal(data_.hash))) {
      save_labels(labels_, run);
      save_preparation(preparation_, run);
    }
  }

  std::vector<Sample> samples(const ClassificationResult& result) const {
    std::vector<Sample> shown;
    for (int64_t i = 0; i < std::min(validation_.count(), config_.logging.samples); ++i) {
      const auto label = [&](int32_t number) { return labels_[static_cast<size_t>(number)]; };
      shown.push_back({validation_.where(i), label(validation_.labels[static_cast<size_t>(i)]),
                       label(result.predicted[static_cast<size_t>(i)])});
    }
    return shown;
  }

  const Config config_;
  const Labels labels_;
  const ImagePreparation preparation_;
  TaskModel<VisionTransformer> network_;
  ImageData data_, validation_;
  std::vector<real> class_weights_;
};

std::vector<Contradiction> images_contradictions(const Config& config) {
  std::vector<Contradiction> all;
  const std::vector<std::string>& weights = config.training.class_weights;
  if (!weights.empty() && config.training.r_drop > 0) {
    all.push_back({"training.class_weights", "cannot be combined with r_drop; set one of them"});
  }
  if (const std::string problem = class_weights_problem(weights); !problem.empty()) {
    all.push_back({"training.class_weights", problem});
  }
  return all;
}

}  // namespace

const TaskDescriptor images_task = {
    .kind = TaskKind::images,
    .make = make_task_of<ImagesTask>,
    .metrics = class_metrics,
    .contradictions = images_contradictions,
};

}  // namespace calque
