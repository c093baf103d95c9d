#include "train/tasks/classification/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/tape.h"
#include "train/task.h"
#include "train/tasks/classification/work.h"
#include "train/tasks/loss_metrics.h"

namespace calque {
namespace {

std::string text_of(const ResultTable& table) {
  std::vector<size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(column.size());
  for (const auto& row : table.rows) widths[0] = std::max(widths[0], row[0].size());
  std::string text;
  const auto append = [&](const std::vector<std::string>& row) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) {
      text += fmt::format("  {:>{}}", row[i], std::max<size_t>(6, widths[i]));
    }
    text += '\n';
  };
  append(table.columns);
  for (const auto& row : table.rows) append(row);
  return text;
}

}  // namespace

std::vector<std::pair<std::string, double>> ClassificationResult::values() const {
  auto values = loss_values(sums);
  values.emplace_back("macro_f1", confusion.macro_f1());
  return values;
}

ResultTable confusion_table(const ConfusionMatrix& matrix, const Labels& labels) {
  const bool counts = matrix.classes() <= 20;
  ResultTable table{.title = "Classes", .columns = {"expected"}, .rows = {}};
  if (counts) {
    for (const std::string& label : labels) table.columns.push_back("as " + label);
  }
  for (const char* column : {"examples", "precision", "recall", "F1"}) {
    table.columns.emplace_back(column);
  }
  for (int64_t c = 0; c < matrix.classes(); ++c) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(labels[static_cast<size_t>(c)]);
    for (int64_t p = 0; counts && p < matrix.classes(); ++p) {
      row.push_back(fmt::format("{}", matrix.count(c, p)));
    }
    row.push_back(fmt::format("{}", matrix.occurrences(c)));
    for (const double share : {matrix.precision(c), matrix.recall(c), matrix.f1(c)}) {
      row.push_back(fmt::format("{:.1f}%", 100 * share));
    }
  }
  return table;
}

std::string text_of(const ClassificationResult& result, const Labels& labels) {
  const ConfusionMatrix& confusion = result.confusion;
  return fmt::format("loss {:.4f}  accuracy {:.2f}%  macro F1 {:.2f}%\n{}",
                     mean_of(result.sums).loss, 100 * confusion.accuracy(),
                     100 * confusion.macro_f1(), text_of(confusion_table(confusion, labels)));
}

std::vector<std::vector<double>> class_probabilities(const Classifier& model,
                                                     const std::vector<EncodedText>& texts) {
  const NoGradient nothing_recorded;
  std::vector<std::vector<double>> all;
  for_each_batch(texts, [&](const PackedTexts& batch) {
    const Tensor p = softmax(
        model.head.logits(model.pooled(batch.ids, batch.kinds, batch.segments, Mode::evaluate)));
    for (int64_t i = 0; i < p.rows(); ++i) {
      const real* const row = p.data() + i * p.cols();
      all.emplace_back(row, row + p.cols());
    }
  });
  return all;
}

void ClassifiedBatches::add(std::span<const int32_t> labels, double label_smoothing,
                            const std::function<Tensor()>& logits) {
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  sums_.emplace_back();
  if (share_.computes_next()) {
    const Tensor all = logits();
    sums_.back() = summed(cross_entropy(all, labels, static_cast<real>(label_smoothing))).sums();
    for (int64_t i = 0; i < all.rows(); ++i) {
      const real* const row = all.data() + i * all.cols();
      predicted_.push_back(static_cast<int32_t>(std::max_element(row, row + all.cols()) - row));
    }
  }
  predicted_.resize(labels_.size());
}

ClassificationResult ClassifiedBatches::result(int64_t classes) {
  ClassificationResult result{
      .sums = share_.sum(sums_), .confusion = ConfusionMatrix(classes), .predicted = predicted_};
  share_.join(result.predicted);
  for (size_t i = 0; i < labels_.size(); ++i) result.confusion.add(labels_[i], result.predicted[i]);
  return result;
}

ClassificationResult evaluate_classifier(const Classifier& model, const ClassificationData& data,
                                         double label_smoothing, BatchShare share) {
  const NoGradient nothing_recorded;
  ClassifiedBatches batches(std::move(share));
  for_each_batch(data.examples, [&](const PackedTexts& batch) {
    batches.add(batch.labels, label_smoothing, [&] {
      return model.head.logits(
          model.pooled(batch.ids, batch.kinds, batch.segments, Mode::evaluate));
    });
  });
  return batches.result(model.options.head.classes);
}

}  // namespace calque
