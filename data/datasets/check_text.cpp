// The report on the data as text (declared in data/datasets/check.h).

#include <fmt/format.h>

#include <algorithm>

#include "data/datasets/check.h"

namespace calque {
namespace {

std::string side_line(const char* name, const SideReport& side, int64_t sentences) {
  return fmt::format("  {}: {} tokens, {:.1f} per sentence, longest {}; {} unknown ({:.2f}%)\n",
                     name, side.tokens, share_of(side.tokens, sentences), side.longest,
                     side.unknown, 100 * share_of(side.unknown, side.tokens));
}

std::string class_name(size_t index) {
  const int64_t low = index == 0 ? 1 : length_classes[index - 1] + 1;
  if (index == length_classes.size()) return fmt::format("{}-", low);
  return fmt::format("{}-{}", low, length_classes[index]);
}

// Source and target side by side, with a bar for each class of lengths.
std::string histogram(const SplitReport& split) {
  constexpr int64_t widest = 24;
  const auto& source = split.source.lengths;
  const auto& target = split.target.lengths;
  const int64_t most = std::max(std::ranges::max(source), std::ranges::max(target));
  std::string text = fmt::format("  {:>9}  {:<34}{}\n", "tokens", "source", "target");
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == 0 && target[i] == 0) continue;
    const auto bar = [&](int64_t count) {
      return fmt::format("{:>8} {:<25}", count,
                         std::string((count * widest + most - 1) / most, '#'));
    };
    std::string line = fmt::format("  {:>9}  {}{}", class_name(i), bar(source[i]), bar(target[i]));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string split_text(const SplitReport& split, bool training) {
  std::string text = fmt::format("{}: {} lines, {} pairs kept\n  dropped: {}\n", split.name,
                                 split.lines, split.kept, split.drops.text());
  if (split.kept == 0) return text;
  text += side_line("source", split.source, split.kept);
  text += side_line("target", split.target, split.kept);
  text += fmt::format(
      "  length correlation {:.2f}; {} pairs with equal sides{}\n  {} repeated pairs",
      split.length_correlation, split.copies.count, split.copies.places(), split.repeated.count);
  if (split.repeated.count > 0) {
    text += split.repeated.places() + "; data.drop_duplicates: true drops them";
  }
  text += '\n';
  for (const Finding& finding : split.findings) {
    text += fmt::format("  {} {}{}\n", finding.seen.count, finding.what, finding.seen.places());
  }
  if (!training) {
    text += fmt::format("  also in the training data: {} pairs, {} sources\n",
                        split.pairs_in_training, split.sources_in_training);
  }
  return text + histogram(split);
}

}  // namespace

std::string to_text(const CheckReport& report) {
  std::string text;
  for (const SplitReport& split : report.splits) {
    text += split_text(split, &split == &report.splits.front()) + '\n';
  }
  for (const std::string& problem : report.problems) text += "problem: " + problem + '\n';
  for (const std::string& suspicion : report.suspicions) text += "suspicion: " + suspicion + '\n';
  if (report.sound()) text += "no problems found\n";
  return text;
}

}  // namespace calque
