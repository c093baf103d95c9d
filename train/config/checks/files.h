#pragma once
// The files that a config names, and whether they exist. Their content is not read.

#include <string>
#include <vector>

#include "train/config/config.h"

namespace calque {

struct MissingFiles {
  std::vector<std::string> texts;  // "data.train: corpora/train.en: no such file"
  bool all_of_data = false;        // no file of a corpus exists, and no corpus is generated
};

MissingFiles missing_files(const Config& config);

}  // namespace calque
