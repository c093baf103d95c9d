#pragma once
// The options of `calque explain` that change or compare the passes of a language model.

#include "cli/tasks/task_commands.h"
#include "train/tasks/language_model/inspection_choice.h"

namespace calque {

// Ends the program's command line with a message for a value that is no LAYER.HEAD or
// WORD:LAYER:STRENGTH.
InspectionChoice inspection_choice(const ExplainArguments& arguments);

}  // namespace calque
