#include <iterator>

#include "serve/served_task.h"

namespace calque {

extern const ServedTask served_translation, served_language_model, served_masked_lm,
    served_classification, served_tagging;

std::span<const ServedTask* const> served_tasks() {
  static constexpr const ServedTask* all[] = {&served_translation, &served_language_model,
                                              &served_masked_lm, &served_classification,
                                              &served_tagging};
  return all;
}

}  // namespace calque
