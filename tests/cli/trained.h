#pragma once
// A model that has hardly learned anything, for commands of which only the handling of text
// matters.

#include <filesystem>
#include <string>

namespace calque {

// Trained for a few steps, once a process; paths are quoted for a shell.
struct Trained {
  std::filesystem::path place;  // a folder for files, removed at the end
  std::string run;

  std::string file(const std::string& name) const { return "'" + (place / name).string() + "'"; }
};

const Trained& trained();

}  // namespace calque
