#pragma once
// model.embeddings: embedding tables that start from word vectors. A row gets the vector whose word
// equals the text of the row's token; if the file repeats a word, its first vector. The text of a
// token is
//   SentencePiece      the piece without the mark U+2581 at its beginning; a piece without the mark
//                      continues a word and has no vector, unless it is all ASCII punctuation
//   all other symbols  the symbol itself
// Rows without a vector keep their random values.

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "data/datasets/dataset.h"
#include "data/tokenizers/tokenizer.h"
#include "train/config/config.h"

namespace calque {

// The word by which the vector of a token is looked up; empty if the token gets none.
std::string word_of_token(const Tokenizer& tokenizer, int32_t id);

// If embeddings.freeze is set, excludes from training the tables that start from a file. Call it
// after making a model and before making its optimizer.
void freeze_embeddings(const Config& config, Parameters& parameters);

// Sets rows from all files and returns a log line for each file, with its coverage. `counts` has
// the number of occurrences of each id in the training text. Throws an Error if a file is
// malformed, if its dimension is not d_model, or if it sets no row.
std::vector<std::string> load_embeddings(const Config& config, const Tokenizer& tokenizer,
                                         const std::vector<int64_t>& counts,
                                         Parameters& parameters);
std::vector<std::string> load_embeddings(const Config& config, const Tokenizer& tokenizer,
                                         const Dataset& text, Parameters& parameters);
std::vector<std::string> load_embeddings(const Config& config, const Tokenizer& source,
                                         const std::vector<int64_t>& source_counts,
                                         const Tokenizer& target,
                                         const std::vector<int64_t>& target_counts,
                                         Parameters& parameters);

}  // namespace calque
