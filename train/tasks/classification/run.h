#pragma once
// A trained classifier of texts in use.

#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/classification/data.h"

namespace calque {

using ClassificationRun = TextClassifierRun;

// Throws Error for a run of another task.
inline ClassificationRun open_classification_run(const std::string& place) {
  return open_text_classifier(TaskKind::classification, place);
}

}  // namespace calque
