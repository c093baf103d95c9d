#include "data/cleaning/judged_block.h"

#include "core/threads/ordered_chunks.h"
#include "data/cleaning/repair.h"

namespace calque {

JudgedBlock judge_rows(const Corpus& corpus, int64_t first, const PairRules& rules, bool repair) {
  constexpr int64_t rows = 1 << 14, bytes = 8 << 20, chunk_rows = 256;
  JudgedBlock block{.text = corpus.read(first, rows, bytes)};
  block.broken.resize(block.text.rows());
  block.repaired.resize(block.text.lines.size());
  parallel_chunks(block.rows(), chunk_rows, [&](int64_t begin, int64_t end) {
    for (int64_t i = 2 * begin; repair && i < 2 * end; ++i) {
      Line& line = block.text.lines[i];
      if (is_text(line)) block.repaired[i] = repair_mojibake(line.text);
      if (block.repaired[i]) line.text = *block.repaired[i];
    }
    for (int64_t row = begin; row < end; ++row) {
      block.broken[row] = rules.broken_by(block.text.row(row));
    }
  });
  return block;
}

}  // namespace calque
