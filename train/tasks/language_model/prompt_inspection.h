#pragma once
// The inspection of a trained language model on a prompt and its greedy continuation.

#include "decode/inspection/inspection.h"
#include "train/tasks/language_model/inspection_choice.h"
#include "train/tasks/language_model/run.h"

namespace calque {

// Inspects what explain_prompt() returned. Freezes the run's parameters, unless they are. Throws an
// Error for a layer, head or word that the model does not have, and for prompts of different
// lengths.
Inspection inspect_prompt(const LanguageModelRun& run, const Explanation& explanation,
                          const InspectionChoice& choice);

}  // namespace calque
