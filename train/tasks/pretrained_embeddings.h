#pragma once
// model.embeddings: embedding tables that start from word vectors. A row gets the vector whose word
// equals the text of the row's token; the first one, if the file repeats a word. The text is
//   words, characters, special symbols  the symbol itself
//   SentencePiece                       the text behind the mark of a word's beginning, or the
//                                       piece itself if it is all ASCII punctuation; a piece that
//                                       continues a word has no vector
// Other rows keep their random values.

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "data/dataset.h"
#include "data/tokenizer.h"
#include "train/config/config.h"

namespace calque {

// What a token's vector is found by; empty if it has none.
std::string word_of_token(const Tokenizer& tokenizer, int32_t id);

// embeddings.freeze: no table that starts from a file is trained. To be called whenever the model
// is made, before its optimizer.
void freeze_embeddings(const Config& config, Parameters& parameters);

// Sets the rows of all files and returns a line for each file with its coverage. `counts` are those
// of each id in the training text. Throws an Error for a malformed file, for another dimension than
// d_model, and if no row gets a vector.
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
