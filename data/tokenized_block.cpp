#include "data/tokenized_block.h"

#include "data/ordered_chunks.h"
#include "data/utf8.h"

namespace calque {
namespace {

constexpr int64_t rows_at_once = 1 << 14, bytes_at_once = 8 << 20;
constexpr int64_t rows_per_chunk = 256;

Drop judge_line(const Line& line) {
  if (line.too_long) return Drop::too_long;
  return find_invalid_utf8(line.text) ? Drop::invalid : Drop::none;
}

// Tokenizes rows of one block.
class RowTokenizer {
 public:
  RowTokenizer(const Corpus& corpus, int64_t first, std::span<const Tokenizer> tokenizers,
               const FilterOptions& options, TokenizedBlock& block)
      : corpus_(corpus), first_(first), tokenizers_(tokenizers), options_(options), block_(block) {}

  // Rows [begin, end) of the block, with their ids in `chunk`.
  void tokenize(int64_t begin, int64_t end, std::vector<int32_t>& chunk) const {
    const auto columns = std::ssize(tokenizers_);
    std::vector<int64_t> lengths((end - begin) * columns);
    for (int64_t row = begin; row < end; ++row) {
      const auto own =
          std::span(lengths).subspan((row - begin) * columns, static_cast<size_t>(columns));
      block_.verdicts[row] = tokenize(row, own, chunk);
    }
    const int32_t* at = chunk.data();  // the chunk does not grow any more
    auto span = block_.ids.begin() + begin * columns;
    for (const int64_t length : lengths) {
      *span++ = {at, static_cast<size_t>(length)};
      at += length;
    }
  }

 private:
  Verdict tokenize(int64_t row, std::span<int64_t> lengths, std::vector<int32_t>& chunk) const {
    const std::span<const Line> lines = block_.text.row(row);
    for (int column = 0; column < block_.text.columns; ++column) {
      const Drop drop = judge_line(lines[column]);
      if (drop == Drop::invalid && options_.invalid == InvalidText::error) {
        require_text(lines[column], corpus_.where(first_ + row, column));
      }
      if (drop != Drop::none) return {drop, column};
    }
    for (size_t column = 0; column < lengths.size(); ++column) {
      const auto before = std::ssize(chunk);
      tokenizers_[column].encode(lines[column].text, chunk);
      lengths[column] = std::ssize(chunk) - before;
    }
    return judge_lengths(lengths, options_);
  }

  const Corpus& corpus_;
  int64_t first_;
  std::span<const Tokenizer> tokenizers_;
  const FilterOptions& options_;
  TokenizedBlock& block_;
};

}  // namespace

TokenizedBlock read_tokenized(const Corpus& corpus, int64_t first,
                              std::span<const Tokenizer> tokenizers, const FilterOptions& options) {
  TokenizedBlock block;
  block.text = corpus.read(first, rows_at_once, bytes_at_once);
  const int64_t rows = block.text.rows();
  block.verdicts.resize(rows);
  block.ids.resize(block.text.lines.size());
  block.chunks.resize((rows + rows_per_chunk - 1) / rows_per_chunk);
  const RowTokenizer tokenizer(corpus, first, tokenizers, options, block);
  parallel_chunks(rows, rows_per_chunk, [&](int64_t begin, int64_t end) {
    tokenizer.tokenize(begin, end, block.chunks[begin / rows_per_chunk]);
  });
  return block;
}

}  // namespace calque
