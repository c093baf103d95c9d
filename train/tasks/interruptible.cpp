#include "train/tasks/interruptible.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/expert_load.h"

namespace calque {
namespace {

// The share of the tokens that each expert received, a row for each layer.
ResultTable load_table(const ExpertLoad& load) {
  ResultTable table{
      .title = "Load of the experts, in % of the tokens", .columns = {"layer"}, .rows = {}};
  for (const auto& [layer, counts] : load.layers()) {
    std::vector<std::string> row = {layer};
    int64_t all = 0;
    for (const int64_t count : counts) all += count;
    for (const int64_t count : counts) {
      row.push_back(fmt::format("{:.1f}", all > 0 ? 100.0 * double(count) / double(all) : 0));
      if (table.columns.size() < row.size()) {
        table.columns.push_back(fmt::format("{}", table.columns.size()));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::optional<Scores> interruptible(
    const std::function<bool()>& stop,
    const std::function<Scores(const std::function<void()>& between)>& validate) {
  struct Stopped {};
  try {
    const ExpertLoad load;
    Scores scores = validate([&] {
      if (stop()) throw Stopped();
    });
    if (!load.layers().empty()) scores.tables.push_back(load_table(load));
    return scores;
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

}  // namespace calque
