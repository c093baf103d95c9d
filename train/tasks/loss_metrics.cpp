#include "train/tasks/loss_metrics.h"

namespace calque {

std::vector<MetricInfo> loss_metrics(const std::string& term) {
  using enum ValueFormat;
  const std::string unit = "nats per " + term;
  return {
      {"loss", "loss", "loss", "Loss", unit,
       "What training minimises: the cross-entropy, with label smoothing.", number, 4,
       Better::lower},
      {"nll", "nll", "", "Negative log-likelihood", unit, "The loss without label smoothing.",
       number, 4, Better::lower},
      {"perplexity", "ppl", "ppl", "Perplexity", "",
       "exp(nll): the number of equally likely choices that are as uncertain.", number, 2,
       Better::lower, true},
      {"accuracy", "accuracy", "acc", "Accuracy", "",
       "How often the most probable " + term + " is the right one.", percent, 1, Better::higher,
       false, true},
  };
}

std::vector<MetricInfo> metrics_of_classes(const std::string& term) {
  std::vector<MetricInfo> metrics = loss_metrics(term);
  metrics.push_back({"macro_f1", "macro_f1", "F1", "Macro F1", "",
                     "The mean of the F1 of each class, so that rare classes count as much as "
                     "frequent ones.",
                     ValueFormat::percent, 1, Better::higher});
  return metrics;
}

std::span<const MetricInfo> class_metrics() {
  static const std::vector<MetricInfo> all = metrics_of_classes("class");
  return all;
}

std::vector<std::pair<std::string, double>> loss_values(const LossSums& sums) {
  const MeanLoss mean = mean_of(sums);
  return {{"loss", mean.loss},
          {"nll", mean.nll},
          {"perplexity", mean.perplexity},
          {"accuracy", mean.accuracy}};
}

}  // namespace calque
