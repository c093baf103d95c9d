#pragma once
// What an inspection of a language model changes and compares, as options and requests write it.

#include <cstdint>
#include <string>
#include <vector>

#include "decode/inspection/residual_stream.h"

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

// LAYER.HEAD, both counted from 1. Throws an Error for a text that is none; so does the other.
HeadPlace parse_head(const std::string& text);

// WORD:LAYER:STRENGTH.
Steering parse_steering(const std::string& text);

}  // namespace calque
