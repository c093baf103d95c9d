#include "train/tasks/task_data.h"

#include <fmt/format.h>

namespace calque {

std::string cache_folder(const Config& config, const RunFolder& run, const TaskStart& start) {
  return config.data.cache && start.purpose != TaskStart::Purpose::plan ? run.cache() : "";
}

int64_t tokens_in(const Dataset& dataset) {
  if (dataset.noun != "conversation" && dataset.noun != "preference") {
    return dataset.tokens->tokens();
  }
  int64_t tokens = 0;  // ids and runs take turns
  for (int column = 0; column < dataset.tokens->columns(); column += 2) {
    tokens += dataset.tokens->tokens_in_column(column);
  }
  return tokens;
}

std::string data_description(const Dataset& dataset, int64_t vocabulary) {
  std::string text =
      fmt::format("{} {}s, {} tokens, dropped: {}, vocabulary {}", dataset.examples(), dataset.noun,
                  tokens_in(dataset), dropped_text(dataset), vocabulary);
  if (!dataset.cache_problem.empty()) {
    text += fmt::format("; {}; the next start tokenizes again", dataset.cache_problem);
  }
  return text;
}

std::string dropped_text(const Dataset& dataset) {
  return dataset.drops.text(static_cast<int>(dataset.sizes.size()));
}

}  // namespace calque
