#include "cli/tasks/text_classes.h"

#include <fmt/ranges.h>

#include "cli/result_file.h"
#include "train/tasks/classes/text_classifier.h"

namespace calque {

void check_text_classes(const TextClasses& classes, const Config& config) {
  const auto read = [&](const Corpora& corpora, Split split) {
    return read_corpora(classes, config.data, corpora, split);
  };
  const std::vector<LabelledCorpus> corpora = read(config.data.train, Split::train);
  const Labels labels = labels_of(classes, corpora);
  const Tokenizer tokenizer = open_encoder_tokenizer(config, {}, {TaskStart::Purpose::plan},
                                                     [&] { return whole_texts(classes, corpora); });
  const auto print = [&](const char* name, const std::vector<LabelledCorpus>& rows) {
    if (rows.empty()) return;
    const TextData data = encode_corpora(classes, rows, labels, tokenizer, config.data.context);
    fmt::print("{}: {}\n", name, data.summary());
    for (size_t c = 0; c < labels.size(); ++c) fmt::print("  {}: {}\n", labels[c], data.counts[c]);
  };
  print("train", corpora);
  print("validation", read(config.data.validation, Split::validation));
  print("test", read(config.data.test, Split::test));
  fmt::print("vocabulary: {}\n", tokenizer.size());
}

void evaluate_text_classes(const TextClasses& classes, const EvaluateArguments& arguments,
                           const std::vector<CorpusOfSplit>& corpora) {
  const TextClassifierRun run = open_text_classifier(classes.task, arguments.run());
  fmt::print("{}, step {}\n", run.checkpoint, run.step);
  std::string output;
  for (const auto& [corpus, split] : corpora) {
    const auto read = read_corpora(classes, run.config.data, {corpus}, split);
    const TextData data =
        encode_corpora(classes, read, run.labels, run.tokenizer, run.config.data.context);
    const ClassificationResult result =
        evaluate_texts(run.model(), data, run.labels, run.config.training.label_smoothing);
    const RowLabels predicted = data.names(result.predicted, run.labels);
    for (size_t row = 0; row < predicted.size(); ++row) {
      const auto& [texts, labels] = read.front().file.rows[row];
      const std::vector<std::string>& found = predicted[row];
      for (size_t i = 0; i < found.size(); ++i) {
        output += (classes.of_words ? texts[i] + '\t' : "") + found[i] + '\n';
      }
      if (classes.of_words) output += '\n';
      if (std::cmp_greater_equal(row, arguments.samples)) continue;
      fmt::print("  {}\n  = {}\n  > {}\n\n", fmt::join(whole_texts(classes, texts), " | "),
                 fmt::join(labels, " "), fmt::join(found, " "));
    }
    fmt::print("{}: {}\n  {}", read.front().name, data.size_text(), text_of(result, run.labels));
  }
  if (!arguments.output.empty()) write_result(arguments.output, output);
}

void predict_text_classes(
    const TextClasses& classes, const RunPlace& place, InvalidLine invalid,
    const std::function<std::vector<std::string>(const std::string&, const LineInput&)>& texts_of,
    const std::function<void(const Labels&, const std::vector<std::string>& texts,
                             const std::vector<std::vector<double>>&)>& print) {
  const TextClassifierRun run = open_text_classifier(classes.task, place);
  for_lines_of_input(invalid, texts_of, [&](const std::vector<std::vector<std::string>>& rows) {
    EncodedTexts encoded;
    for (const auto& texts : rows) {
      encoded.add(classes, texts, run.tokenizer, run.config.data.context);
    }
    const auto probabilities = class_probabilities(classes, run.model(), encoded);
    for (size_t i = 0; i < rows.size(); ++i) print(run.labels, rows[i], probabilities[i]);
  });
}

}  // namespace calque
