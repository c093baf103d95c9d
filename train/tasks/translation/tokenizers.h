#pragma once
// The two tokenizers of a translator, which may be the same.

#include <string>

#include "data/batch_stream.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {

struct Tokenizers {
  Tokenizer source, target;

  // For checkpoints: 16 or 2 x 16 hexadecimal digits.
  std::string hash() const { return hash_of({source, target}); }
};

Tokenizers open_translation_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start);

// Without a run: read from tokenizer.files or trained.
Tokenizers make_tokenizers(const Config& config);

// tokenizer.bpe_dropout: segments the examples into other subwords in each epoch.
ExampleSet with_bpe_dropout(ExampleSet set, const Config& config, const Tokenizers& tokenizers);

}  // namespace calque
