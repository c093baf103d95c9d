#pragma once
// The two tokenisers of a run, which may be one: made from the training text once, kept in the
// run's folder, and read from there ever after.

#include <optional>
#include <string>

#include "data/batch.h"
#include "data/tokenizer.h"
#include "train/config/config.h"
#include "train/run_folder.h"

namespace calque {

struct Tokenizers {
  Tokenizer source, target;

  // What a checkpoint remembers, to know them again: 16 or 2 x 16 hexadecimal digits.
  std::string hash() const;
};

// From the config's files, or trained on the corpora.
Tokenizers make_tokenizers(const Config& config);

// Made and put into the folder of a run that begins, in the place of what is there.
Tokenizers begin_tokenizers(const Config& config, const RunFolder& run);

// Whether they are in the folder of a run.
bool has_tokenizers(const Config& config, const RunFolder& run);

// Those of a run that goes on: from its folder if they are there. What is not there is made again
// and put there, if it comes out as what the checkpoint was trained with, whose hash is given;
// otherwise that is an Error, and the folder is as it was.
Tokenizers resume_tokenizers(const Config& config, const RunFolder& run, const std::string& hash);

// Those of a run that exists.
Tokenizers load_tokenizers(const Config& config, const RunFolder& run);

// What training does to the pieces of a pair in each epoch (tokenizer.bpe_dropout); nothing if the
// config asks for nothing.
PairVariation pair_variation(const Config& config, const Tokenizers& tokenizers);

// About how many tokens become of one by it, rather too many: on Multi30k with 10,000 pieces 1.36
// with a probability of 0.1, and 1.73 with 0.2.
inline double tokens_of_one(const TokenizerConfig& tokenizer) {
  return 1 + 4 * tokenizer.bpe_dropout;
}

}  // namespace calque
