#include "train/initial_weights.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"

namespace calque {

std::string weights_file(const std::string& of) {
  namespace fs = std::filesystem;
  if (fs::is_regular_file(of)) return of;
  for (const char* place : {"", "/best", "/last"}) {
    const std::string file = of + place + "/model.safetensors";
    if (fs::is_regular_file(file)) return file;
  }
  fail("{}: neither a run, nor a checkpoint, nor a safetensors file", of);
}

std::vector<std::string> load_initial_weights(const std::string& from, TranslationModel& model) {
  const SafetensorsFile file(real_files(), weights_file(from));
  std::vector<TensorTarget> matching;
  std::vector<std::string> report;
  const std::vector<TensorTarget> wanted = model.targets();
  for (const TensorTarget& target : wanted) {
    const std::vector<std::string> problems =
        differences(file.table(), std::span(&target, 1), 1000);
    const auto mine = std::ranges::find_if(problems, [&](const std::string& problem) {
      return problem.starts_with(target.name + " ");
    });
    if (mine == problems.end()) {
      matching.push_back(target);
    } else {
      report.push_back("not loaded: " + *mine);
    }
  }
  if (matching.empty()) {
    fail("{}: none of its tensors has the name and shape of a parameter of this model", from);
  }
  file.read(matching);
  if (const auto bad = first_not_finite(matching)) {
    fail("{}: {} holds a value that is infinite or not a number", from, *bad);
  }
  report.insert(report.begin(), fmt::format("{} of {} parameters start from {}", matching.size(),
                                            wanted.size(), from));
  return report;
}

}  // namespace calque
