#pragma once
// What the data of a run says against it before it trains: a tokenizer that splits the texts too
// much, and validation texts unlike those of training.

#include <string>
#include <string_view>
#include <vector>

#include "data/datasets/dataset.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

// Looks at one column of the texts, which `side` names ("source"; empty: the texts have one
// column). `validation` may be null. Returns a line for each remark, for the log.
std::vector<std::string> data_remarks(const Dataset& training, const Dataset* validation,
                                      int column, const Tokenizer& tokenizer,
                                      std::string_view side);

}  // namespace calque
