#pragma once
// What a cached token file remembers of the dataset beside its ids, as a few lines of text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.h"

namespace calque {

struct DatasetNotes {
  std::vector<DatasetPart> parts;  // names and shares are not kept
  DropTally drops;
  std::vector<TextSize> sizes;
};

std::string to_text(const DatasetNotes& notes);
std::optional<DatasetNotes> from_text(std::string_view text);

}  // namespace calque
