#pragma once
// The tokenizers of a run: trained once on the training text and kept in the run's folder.

#include <functional>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "data/tokenizer_training.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// The file of a tokenizer is RUN/tokenizer, this ending, and .model or .vocab.
struct TokenizerPlace {
  std::string ending;
  std::function<Tokenizer()> train;  // from the training text
};

// Returns a tokenizer for each place. tokenizer.files are read instead of trained. A resumed run
// that lacks a file trains it again; if the result differs, throws Error and writes nothing.
std::vector<Tokenizer> open_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start,
                                       const std::vector<TokenizerPlace>& places);

// For checkpoints: 16 hexadecimal digits for each tokenizer that differs from the first.
std::string hash_of(const std::vector<Tokenizer>& tokenizers);

TokenizerOptions tokenizer_options(const Config& config);
TokenizerTraining tokenizer_training(const TokenizerConfig& tokenizer);
// train_tokenizer(), whose errors name the config's keys.
Tokenizer trained_tokenizer(const Config& config, std::vector<std::string> texts,
                            const TokenizerTraining& training);

}  // namespace calque
