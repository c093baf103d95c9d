#pragma once
// The inspection of a trained language model on a prompt and its greedy continuation.

#include <cstdint>
#include <string>
#include <vector>

#include "decode/inspection/inspection.h"
#include "decode/inspection/residual_stream.h"
#include "train/tasks/language_model/run.h"

namespace calque {

// Adds the direction of a word's tokens to what a layer leaves.
struct Steering {
  std::string word;
  int64_t layer = 0;    // from 1; 0: to the embeddings
  double strength = 0;  // 1: a vector as long as that of the prompt's last token
};

struct InspectionChoice {
  std::string against = {};             // a prompt to patch from; empty: no patching
  std::vector<HeadPlace> without = {};  // heads without output
  std::vector<Steering> steering = {};
};

// Inspects what explain_prompt() returned. Freezes the run's parameters. Throws an Error for a
// layer, head or word that the model does not have, and for prompts of different lengths.
Inspection inspect_prompt(const LanguageModelRun& run, const Explanation& explanation,
                          const InspectionChoice& choice);

}  // namespace calque
