#include "train/tasks/classes/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "train/tasks/evaluation.h"
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

ClassScores ClassificationResult::values() const {
  auto values = loss_values(sums);
  values.emplace_back("macro_f1", confusion.macro_f1());
  values.insert(values.end(), more.begin(), more.end());
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
  std::string text =
      fmt::format("loss {:.4f}  accuracy {:.2f}%  macro F1 {:.2f}%", mean_of(result.sums).loss,
                  100 * confusion.accuracy(), 100 * confusion.macro_f1());
  for (const auto& [name, share] : result.more)
    text += fmt::format("  {} {:.2f}%", name, 100 * share);
  return text + '\n' + text_of(confusion_table(confusion, labels));
}

ClassificationResult evaluate_classes(const ExampleSet& examples, std::span<const int32_t> labels,
                                      int64_t classes, double label_smoothing, BatchShare share,
                                      const LogitsOf& logits,
                                      std::span<const int64_t> first_labels) {
  ClassificationResult result{.sums = {}, .confusion = ConfusionMatrix(classes), .predicted = {}};
  result.predicted.resize(labels.size());
  const auto evaluate = [&](const ExampleBatch& batch) {
    const Tensor all = logits(batch.examples);
    std::vector<int32_t> expected;
    const real* row = all.data();
    for (const int64_t example : batch.numbers) {
      const auto number = static_cast<size_t>(example);
      const bool one = first_labels.empty();
      for (size_t label = one ? number : static_cast<size_t>(first_labels[number]),
                  end = one ? number + 1 : static_cast<size_t>(first_labels[number + 1]);
           label < end; ++label, row += all.cols()) {
        expected.push_back(labels[label]);
        result.predicted[label] =
            static_cast<int32_t>(std::max_element(row, row + all.cols()) - row);
      }
    }
    return summed(cross_entropy(all, expected, static_cast<real>(label_smoothing))).sums();
  };
  result.sums =
      share.sum(evaluate_in_order(examples, {.tokens = class_batch_tokens}, share, evaluate));
  share.join(result.predicted);
  for (size_t i = 0; i < labels.size(); ++i) result.confusion.add(labels[i], result.predicted[i]);
  return result;
}

std::vector<std::vector<double>> class_probabilities(const ExampleSet& examples,
                                                     const LogitsOf& logits) {
  BatchShare all;
  auto batches = evaluate_in_order(examples, {.tokens = class_batch_tokens}, all,
                                   [&](const ExampleBatch& batch) {
                                     const Tensor p = softmax(logits(batch.examples));
                                     std::vector<std::vector<double>> probabilities;
                                     for (int64_t i = 0; i < p.rows(); ++i) {
                                       const real* const row = p.data() + i * p.cols();
                                       probabilities.emplace_back(row, row + p.cols());
                                     }
                                     return probabilities;
                                   });
  return joined_batches(std::move(batches));
}

}  // namespace calque
