#pragma once
// The two tokenizers of a translator, which may be the same.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "train/tasks/run_tokenizers.h"

namespace calque {

struct Tokenizers {
  Tokenizer source, target;
  // The token of the target language in a multilingual run, else nothing: the model reads it before
  // each source.
  std::vector<int32_t> before_source = {};

  // A source, without </s>, as the model reads it.
  std::vector<int32_t> read(std::span<const int32_t> source_ids) const;
  // The ids before a source whose corpus has this mark (CorpusSource::mark).
  std::vector<int32_t> marked(const std::string& mark) const;

  // The hash in checkpoints: 16 hexadecimal digits, or 32 if the tokenizers differ.
  std::string hash() const { return hash_of({source, target}); }
};

// `corpora` are those to train the tokenizers on; TaskStart::Purpose::use needs none.
Tokenizers open_translation_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start,
                                       const std::vector<CorpusSource>& corpora = {});

// The tokenizers without a run: read from tokenizer.files, or trained.
Tokenizers make_tokenizers(const Config& config);

// Applies tokenizer.bpe_dropout, if set: in each epoch, texts consist of other subwords, unless
// these exceed data.max_length. Throws an Error for a tokenizer that is not BPE.
ExampleSet with_bpe_dropout(ExampleSet set, const Config& config, const Tokenizers& tokenizers);

}  // namespace calque
