#include "train/tasks/classes/labels.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "data/files/text_lines.h"
#include "train/storage/durable_files.h"

namespace calque {

Labels two_labels_or_more(const std::set<std::string>& labels, const std::string& place,
                          const std::string& noun) {
  if (labels.size() < 2) {
    fail("{0}: every {1} has the label '{2}'; a classifier needs {1}s of two classes or more",
         place, noun, *labels.begin());
  }
  return {labels.begin(), labels.end()};
}

void save_labels(const Labels& labels, const RunFolder& run) {
  std::string text;
  for (const std::string& label : labels) text += label + '\n';
  ensure_text(real_files(), run.labels(), text);
}

Labels load_labels(const RunFolder& run) {
  const std::string path = run.labels();
  if (!std::filesystem::exists(path))
    fail("{}: is missing; restore it, or {}", path, written_again);
  const TextLines lines(path, TextLines::Empty::allowed);
  Labels labels;
  for (int64_t i = 0; i < lines.count(); ++i) labels.push_back(lines.line(i));
  const auto disorder = std::ranges::adjacent_find(labels, std::ranges::greater_equal());
  if (labels.size() < 2 || disorder != labels.end()) {
    fail("{}: is not a sorted list of two labels or more; restore it, or {}", path, written_again);
  }
  return labels;
}

bool writes_findings(const TaskStart& start, const std::string& data_hash) {
  using Purpose = TaskStart::Purpose;
  return start.purpose == Purpose::begin ||
         (start.purpose == Purpose::resume && start.data_hash == data_hash);
}

size_t ClassedExamples::part_of(int64_t example) const {
  const auto after = std::ranges::upper_bound(parts, example, {}, &SharedRange::first);
  return static_cast<size_t>(after - parts.begin() - 1);
}

std::string ClassedExamples::where(int64_t example) const {
  const SharedRange& part = parts[part_of(example)];
  return fmt::format("{}, {} {}", part.name, noun, example - part.first + 1);
}

int32_t ClassedExamples::add(const std::string& label, const Labels& known) {
  const auto found = std::ranges::lower_bound(known, label);
  if (found == known.end() || *found != label) {
    fail("{}, {} {}: the label '{}' does not occur in the training data", parts.back().name, noun,
         count() - parts.back().first + 1, label);
  }
  counts.resize(known.size());
  labels.push_back(static_cast<int32_t>(found - known.begin()));
  ++counts[static_cast<size_t>(labels.back())];
  return labels.back();
}

}  // namespace calque
