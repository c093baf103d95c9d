#pragma once
// What commands do with runs of the tasks whose model is a text encoder that names classes.

#include <functional>
#include <string>
#include <vector>

#include "cli/line_streams.h"
#include "cli/tasks/task_commands.h"
#include "train/tasks/classes/text_data.h"

namespace calque {

void check_text_classes(const TextClasses& classes, const Config& config);

// Writes a line for each label to the output file; for words, the word and its tag, and an empty
// line after each sentence.
void evaluate_text_classes(const TextClasses& classes, const EvaluateArguments& arguments,
                           const std::vector<CorpusOfSplit>& corpora);

// Reads the texts of a row from each line of standard input and calls print() with them and the
// probabilities of the classes of each label.
void predict_text_classes(
    const TextClasses& classes, const RunPlace& run, InvalidLine invalid,
    const std::function<std::vector<std::string>(const std::string&, const LineInput&)>& texts_of,
    const std::function<void(const Labels&, const std::vector<std::string>& texts,
                             const std::vector<std::vector<double>>&)>& print);

}  // namespace calque
