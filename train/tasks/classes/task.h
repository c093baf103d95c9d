#pragma once
// The base of the tasks that name the class of an example. Data is a struct derived from
// ClassedExamples, and the model has a ClassificationHead.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/files/content_hash.h"
#include "train/tasks/classes/evaluation.h"
#include "train/tasks/classes/weights.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/model_task.h"

namespace calque {

template <class Model, class Data>
class ClassesTask : public ModelTask<Model> {
 public:
  std::span<const MetricInfo> metrics() const override { return class_metrics(); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }
  bool validates() const override { return validation_.count() > 0; }

 protected:
  ClassesTask(const Config& config, const typename ModelTask<Model>::Options& options,
              Labels labels)
      : ModelTask<Model>(config, options), labels_(std::move(labels)) {}

  using ModelTask<Model>::config_;
  using ModelTask<Model>::network_;
  const Labels labels_;
  Data data_, validation_;

  void set_training_data(Data data) {
    data_ = std::move(data);
    class_weights_ = class_weights(config_.training.class_weights, labels_, data_.counts);
  }

  // The loss in training mode; `pass` returns pooled vectors.
  template <class Pass>
  SummedLoss loss(Pass&& pass, std::span<const int32_t> labels) const {
    return summed(network_.model.head.loss(pass, labels, class_weights_,
                                           static_cast<real>(config_.training.label_smoothing),
                                           static_cast<real>(config_.training.r_drop)));
  }

  virtual ClassificationResult evaluate(BatchShare share) const = 0;
  // The first samples of validation_.
  virtual std::vector<Sample> samples(const std::vector<int32_t>& predicted) const {
    std::vector<Sample> shown;
    for (int64_t i = 0; i < std::min(validation_.count(), config_.logging.samples); ++i) {
      const auto label = [&](const std::vector<int32_t>& of) {
        return labels_[static_cast<size_t>(of[static_cast<size_t>(i)])];
      };
      shown.push_back({validation_.where(i), label(validation_.labels), label(predicted)});
    }
    return shown;
  }

 private:
  Scores scores(BatchShare share) const override {
    const ClassificationResult result = evaluate(share);
    return {result.values(),
            share.is_rank_zero() ? samples(result.predicted) : std::vector<Sample>(),
            {confusion_table(result.confusion, labels_)}};
  }

  std::vector<real> class_weights_;
};

}  // namespace calque
