#include "data/datasets/tokenized_block.h"

#include "core/threads/ordered_chunks.h"

namespace calque {
namespace {

constexpr int64_t rows_at_once = 1 << 14, bytes_at_once = 8 << 20;
constexpr int64_t chunk_rows = 256;

Drop judge_line(const Line& line) { return line.too_long ? Drop::too_long : check_text(line.text); }

// Why a row is dropped before it is tokenized. Throws an Error for invalid text if `invalid` is
// InvalidText::error.
Verdict judge_row(const Corpus& corpus, int64_t index, std::span<const Line> lines,
                  InvalidText invalid) {
  for (int column = 0; column < std::ssize(lines); ++column) {
    const Drop drop = judge_line(lines[column]);
    if ((drop == Drop::invalid || drop == Drop::nul) && invalid == InvalidText::error) {
      require_text(lines[column], corpus.where(index, column));
    }
    if (drop != Drop::none) return {drop, column};
  }
  return {};
}

// Appends the ids of a text, after the mark; of an empty text, nothing. Returns how many.
int64_t append_ids(const Tokenizer& tokenizer, std::string_view text, std::optional<int32_t> mark,
                   std::vector<int32_t>& ids) {
  const auto before = std::ssize(ids);
  if (mark) ids.push_back(*mark);
  const auto marked = std::ssize(ids);
  tokenizer.encode(text, ids);
  if (std::ssize(ids) == marked) ids.resize(static_cast<size_t>(before));
  return std::ssize(ids) - before;
}

}  // namespace

TokenizedBlock read_tokenized(const Corpus& corpus, int64_t first,
                              std::span<const Tokenizer> tokenizers, const FilterOptions& options,
                              std::optional<int32_t> mark) {
  TokenizedBlock block;
  block.text = corpus.read(first, rows_at_once, bytes_at_once);
  const int64_t rows = block.text.rows(), columns = block.text.columns;
  block.verdicts.resize(rows);
  block.ids.resize(block.text.lines.size());
  block.chunks.resize((rows + chunk_rows - 1) / chunk_rows);
  parallel_chunks(rows, chunk_rows, [&](int64_t begin, int64_t end) {
    std::vector<int32_t>& chunk = block.chunks[begin / chunk_rows];
    std::vector<int64_t> lengths((end - begin) * columns);
    for (int64_t row = begin; row < end; ++row) {
      const auto lines = block.text.row(row);
      Verdict& verdict = block.verdicts[row];
      verdict = judge_row(corpus, first + row, lines, options.invalid);
      if (verdict.drop != Drop::none) continue;
      const auto own = std::span(lengths).subspan((row - begin) * columns, columns);
      for (int64_t column = 0; column < columns; ++column) {
        own[column] = append_ids(tokenizers[column], lines[column].text,
                                 column == 0 ? mark : std::nullopt, chunk);
      }
      verdict = check_lengths(own, options);
    }
    const int32_t* at = chunk.data();  // the chunk does not grow any more
    for (size_t i = 0; i < lengths.size(); ++i) {
      block.ids[begin * columns + i] = {at, static_cast<size_t>(lengths[i])};
      at += lengths[i];
    }
  });
  return block;
}

}  // namespace calque
