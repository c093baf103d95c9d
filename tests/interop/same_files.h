#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "data/temporary_folder.h"

namespace calque {

// Checks that every file of `original` has the same bytes in `again`. Both are folders in `folder`.
inline void check_same_files(const TemporaryFolder& folder, const std::string& original,
                             const std::string& again) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(original))) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    CHECK(folder.read(again + "/" + name) == folder.read(original + "/" + name));
  }
}

}  // namespace calque
