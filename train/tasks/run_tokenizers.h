#pragma once
// The tokenizers of a run: trained on the training text once, kept in the run's folder, and read
// from there afterwards.

#include <functional>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "data/tokenizer_training.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// A tokenizer's file is RUN/tokenizer, this ending, and .model or .vocab.
struct TokenizerPlace {
  std::string ending;
  std::function<Tokenizer()> train;  // from the training text
};

// One tokenizer a place. With tokenizer.files these are read instead of trained. A run that resumes
// and has lost a file gets it back if training it again gives the same; otherwise that is an Error,
// and the folder stays as it is.
std::vector<Tokenizer> open_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start,
                                       const std::vector<TokenizerPlace>& places);

// What a checkpoint remembers: 16 hexadecimal digits for each tokenizer that is not the first.
std::string hash_of(const std::vector<Tokenizer>& tokenizers);

TokenizerOptions tokenizer_options(const Config& config);
TokenizerTraining tokenizer_training(const TokenizerConfig& tokenizer);
// train_tokenizer(), with the config's keys in its errors.
Tokenizer trained_tokenizer(const Config& config, std::vector<std::string> texts,
                            const TokenizerTraining& training);

}  // namespace calque
