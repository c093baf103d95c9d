#pragma once
// Documents as a dataset of one column, by Tokenizer::encode_document(). If the tokenizer divides
// texts at line ends, slices of a long document are tokenized in parallel.

#include <string>
#include <vector>

#include "data/datasets/dataset.h"
#include "data/documents/documents.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

struct DocumentOptions {
  bool drop_duplicates = false;              // drop documents whose text occurred before
  InvalidText invalid = InvalidText::error;  // for text that is not UTF-8
  std::string cache_folder = {};             // as in DatasetOptions
};

// Documents without tokens are dropped. Throws an Error for a file that cannot be read, for text
// that is not UTF-8 (unless it is skipped), and if no document is left.
Dataset load_documents(const std::vector<DocumentSource>& sources, const Tokenizer& tokenizer,
                       const DocumentOptions& options);

}  // namespace calque
