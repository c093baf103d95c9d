#pragma once
// What an inspection of a language model finds about one text: plain data, filled by the other
// files of this folder and drawn elsewhere. Layers and heads count from 0. State n is the residual
// stream after n layers (residual_stream.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decode/explanation.h"

namespace calque {

struct LikelyToken {
  int32_t token = 0;
  float probability = 0;
};

// A token whose probability an edit changes.
struct ChangedToken {
  int32_t token = 0;
  float before = 0, after = 0;
};

// What the model would say next if it stopped after some layer.
struct LensGuess {
  std::vector<LikelyToken> best;  // descending
  float target = 0;               // the probability of the token that follows in the text
};

// How much of a head's attention goes to certain positions, on average: the scores are between 0
// and 1, and NaN for a text that is too short to tell.
struct HeadPattern {
  int layer = 0, head = 0;
  double previous = 0;   // to the previous token
  double first = 0;      // to the first token of the text
  double own = 0;        // to the token itself
  double induction = 0;  // in a text read twice: to what followed this token the first time
};

// The next token after the prompt if the output of one head is zero.
struct ZeroedHead {
  int layer = 0, head = 0;
  float target = 0;                // the probability of the token that follows the prompt
  std::vector<ChangedToken> next;  // the most likely ones of both, descending by `after`
};

// Activation patching (Meng et al. 2022; Wang et al. 2023): the pass over one prompt takes over a
// vector of the pass over another prompt.
struct Patching {
  std::string against;         // the other prompt as it was typed
  std::vector<int32_t> other;  // its tokens; the tokens of both prompts begin with <s>
  // The tokens whose probability is higher, and lower, by most after the other prompt.
  int32_t gains = 0, loses = 0;
  // log p(gains) - log p(loses) after each prompt, and after the first prompt with the vector of
  // one state (row) of one token (column) from the other.
  float before = 0, after = 0;
  ExplainedMatrix patched;
};

// The output with changes in the model, beside the output without them.
struct EditedOutput {
  std::vector<std::string> edits;  // as a user names them
  std::vector<ChangedToken> next;  // after the prompt, as for a zeroed head
  std::vector<int32_t> continuation;
  std::string text;  // of the continuation
};

struct Inspection {
  std::vector<std::vector<LensGuess>> lens;  // of each state, and of each token that was read
  std::vector<HeadPattern> patterns;
  // Gradient times input: row i, for the token i after the prompt, has a number for each token
  // that was read (<s>, then the text), which is 0 from the predicted token on.
  ExplainedMatrix attribution;
  std::vector<ZeroedHead> zeroed;
  std::optional<Patching> patching;
  std::optional<EditedOutput> edited;
};

}  // namespace calque
