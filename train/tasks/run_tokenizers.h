#pragma once
// The tokenizers of a run: trained once on the training text, or read once from tokenizer.files,
// and kept in the run's folder.

#include <functional>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "data/tokenizers/training.h"
#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// A tokenizer is kept in RUN/tokenizerENDING.model or RUN/tokenizerENDING.vocab.
struct TokenizerSlot {
  std::string ending;
  std::function<Tokenizer()> train;  // from the training text
};

// Returns a tokenizer for each slot. A new run makes them: it reads tokenizer.files, if set, or
// else trains. A resumed run that lacks a file makes the tokenizers again; if they differ from the
// checkpoint's, throws an Error and writes nothing.
std::vector<Tokenizer> open_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start,
                                       const std::vector<TokenizerSlot>& slots);

// The hash in checkpoints: 16 hexadecimal digits for the first tokenizer, and for each of the other
// ones that differs from it.
std::string hash_of(const std::vector<Tokenizer>& tokenizers);

TokenizerOptions tokenizer_options(const Config& config);
TokenizerTraining tokenizer_training(const TokenizerConfig& tokenizer);
// train_tokenizer() with the config's keys in its error messages.
Tokenizer trained_tokenizer(const Config& config, std::vector<std::string> texts,
                            const TokenizerTraining& training);

}  // namespace calque
