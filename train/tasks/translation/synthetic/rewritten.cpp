#include "train/tasks/translation/synthetic/rewritten.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "train/tasks/translation/synthetic/files.h"

namespace calque {
namespace {

constexpr int64_t rewritten_lines = 100'000;  // of a part

SyntheticPart rewritten_part(const Corpus& input, int64_t first, const Rewriting& rewriting) {
  constexpr int64_t bytes_at_once = 4 << 20;
  SyntheticPart part;
  const int64_t end = std::min(input.size(), first + rewritten_lines);
  while (first < end) {
    const RowBlock block = input.read(first, end - first, bytes_at_once);
    for (int64_t i = 0; i < block.rows(); ++i, ++first) {
      const std::span<const Line> row = block.row(i);
      ++part.counts.lines;
      if (rewriting.invalid == InvalidText::error) {
        for (const int column : {0, 1}) {
          if (!row[column].too_long) require_text(row[column], input.where(first, column));
        }
      }
      if (!is_text(row[0]) || !is_text(row[1])) {
        ++part.counts.invalid;
        continue;
      }
      std::string source(row[0].text), target(row[1].text);
      rewriting.change(first, source, target);
      part.pairs.emplace_back(std::move(source), std::move(target));
    }
  }
  part.counts.pairs = std::ssize(part.pairs);
  return part;
}

}  // namespace

CorpusSource rewritten(const CorpusSource& corpus, const Rewriting& rewriting,
                       const std::string& folder) {
  const uint64_t hash =
      ContentHash().add(content_hash(corpus)).add(rewriting.hash).add(rewriting.invalid).value();
  const SyntheticFiles files(fmt::format("{}/{}-{}", folder, rewriting.name, hexadecimal(hash)));
  const CorpusSource made{files.pairs(), corpus.share};
  if (files.complete()) return made;
  std::filesystem::create_directories(folder);
  const Corpus input(corpus);
  int64_t parts = 0;
  for (int64_t first = 0; first < input.size(); first += rewritten_lines) {
    if (!files.part(parts)) files.write(parts, rewritten_part(input, first, rewriting));
    ++parts;
  }
  const SyntheticCounts counts = files.join(parts);
  if (counts.pairs == 0) fail("{}: {}; nothing is left", input.name(), counts.text());
  return made;
}

}  // namespace calque
