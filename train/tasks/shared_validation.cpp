#include "train/tasks/shared_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "nn/layers/expert_load.h"
#include "ranks/collectives.h"

namespace calque {
namespace {

struct Stopped {};

// Adds the counts of the other ranks to those of this one.
std::vector<std::pair<std::string, std::vector<int64_t>>> load_of_all(Communicator& ranks,
                                                                      const ExpertLoad& own) {
  std::string text;
  for (const auto& [layer, counts] : own.layers()) {
    text += layer;
    for (const int64_t count : counts) text += fmt::format(" {}", count);
    text += '\n';
  }
  const ExpertLoad all;
  for (const std::string& load : all_gather_texts(ranks, text)) {
    std::istringstream lines(load);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string layer;
      words >> layer;
      std::vector<int64_t> counts;
      for (int64_t count = 0; words >> count;) counts.push_back(count);
      ExpertLoad::add(layer, counts);
    }
  }
  return all.layers();
}

// The share of the tokens that each expert received, a row for each layer.
ResultTable load_table(const std::vector<std::pair<std::string, std::vector<int64_t>>>& load) {
  ResultTable table{
      .title = "Load of the experts, in % of the tokens", .columns = {"layer"}, .rows = {}};
  for (const auto& [layer, counts] : load) {
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

bool BatchShare::computes_next() {
  if (batches_ > 0 && stop_ && !stopped_) stopped_ = stop_();
  return batches_++ % ranks() == rank() && !stopped_;
}

void BatchShare::run(const std::function<void(const std::function<void()>& between)>& body) {
  try {
    body([this] {
      if (stop_ && stop_()) throw Stopped();
    });
  } catch (const Stopped&) {
    stopped_ = true;
  }
}

// The results of other ranks are zero here, so a bitwise or copies them.
void BatchShare::join_bytes(std::span<std::byte> results) {
  const char stopped = stopped_ ? 1 : 0;
  if (std::ranges::count(all_gather(*ranks_, std::span(&stopped, 1)), 1) > 0) throw Stopped();
  std::vector<std::byte> theirs(ranks() > 1 ? results.size() : 0);
  for (int bit = 1; bit < ranks(); bit *= 2) {
    ranks_->exchange(rank() ^ bit, results, theirs);
    std::ranges::transform(results, theirs, results.begin(), std::bit_or<>());
  }
}

void BatchShare::join(std::vector<std::string>& results) {
  std::vector<size_t> sizes;
  for (const std::string& text : results) sizes.push_back(text.size());
  join(sizes);
  std::vector<char> all;
  for (size_t i = 0; i < sizes.size(); ++i) {
    results[i].resize(sizes[i]);
    all.insert(all.end(), results[i].begin(), results[i].end());
  }
  join(all);
  auto at = all.begin();
  for (std::string& text : results) {
    std::copy_n(at, text.size(), text.begin());
    at += std::ssize(text);
  }
}

LossSums BatchShare::sum(std::vector<LossSums> batches) {
  join(batches);
  LossSums all;
  for (const LossSums& sums : batches) all += sums;
  return all;
}

std::optional<Scores> shared_validation(
    Communicator& ranks, const std::function<bool()>& stop,
    const std::function<Scores(const BatchShare& share)>& validate) {
  try {
    const ExpertLoad load;
    Scores scores = validate(BatchShare(ranks, stop));
    const auto layers = load_of_all(ranks, load);
    if (!layers.empty()) scores.tables.push_back(load_table(layers));
    return scores;
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

}  // namespace calque
