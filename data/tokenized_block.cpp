#include "data/tokenized_block.h"

#include <exception>

#include "core/parallel.h"
#include "data/utf8.h"

namespace calque {
namespace {

constexpr int64_t pairs_at_once = 1 << 14, bytes_at_once = 8 << 20;
constexpr int64_t pairs_per_piece = 256;

Drop judge_line(const Line& line) {
  if (line.too_long) return Drop::too_long;
  return find_invalid_utf8(line.text) ? Drop::invalid : Drop::none;
}

struct Lengths {
  size_t source = 0, target = 0;
};

// One piece of a block: its pairs one after the other.
class Piece {
 public:
  Piece(const Corpus& corpus, int64_t first, const Tokenizer& source, const Tokenizer& target,
        const FilterOptions& options)
      : corpus_(corpus), first_(first), source_(source), target_(target), options_(options) {}

  void tokenize(std::span<const LinePair> text, std::span<TokenizedPair> pairs,
                std::vector<int32_t>& ids) const {
    std::vector<Lengths> lengths(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
      lengths[i] = tokenize(text[i], first_ + static_cast<int64_t>(i), pairs[i], ids);
    }
    const int32_t* at = ids.data();  // only now do the ids stay where they are
    for (size_t i = 0; i < text.size(); ++i) {
      pairs[i].source = {at, lengths[i].source};
      pairs[i].target = {at + lengths[i].source, lengths[i].target};
      at += lengths[i].source + lengths[i].target;
    }
  }

 private:
  Lengths tokenize(const LinePair& text, int64_t index, TokenizedPair& pair,
                   std::vector<int32_t>& ids) const {
    for (const Side side : {Side::source, Side::target}) {
      const Line& line = side == Side::source ? text.source : text.target;
      pair.blame = side;
      pair.drop = judge_line(line);
      if (pair.drop == Drop::invalid && options_.invalid == InvalidText::error) {
        require_text(line, corpus_.where(index, side));
      }
      if (pair.drop != Drop::none) return {};
    }
    const size_t begin = ids.size();
    source_.encode(text.source.text, ids);
    const size_t middle = ids.size();
    target_.encode(text.target.text, ids);
    const Lengths lengths = {.source = middle - begin, .target = ids.size() - middle};
    pair.drop = judge_lengths(static_cast<int64_t>(lengths.source),
                              static_cast<int64_t>(lengths.target), options_);
    const bool shorter_source = lengths.source < lengths.target;
    const bool blame_source = pair.drop == Drop::too_long ? !shorter_source : shorter_source;
    pair.blame = blame_source ? Side::source : Side::target;
    return lengths;
  }

  const Corpus& corpus_;
  int64_t first_;
  const Tokenizer& source_;
  const Tokenizer& target_;
  const FilterOptions& options_;
};

}  // namespace

TokenizedBlock read_tokenized(const Corpus& corpus, int64_t first, const Tokenizer& source,
                              const Tokenizer& target, const FilterOptions& options) {
  TokenizedBlock block;
  block.text = corpus.read(first, pairs_at_once, bytes_at_once);
  const auto count = std::ssize(block.text.pairs);
  const auto pieces = (count + pairs_per_piece - 1) / pairs_per_piece;
  block.pairs.resize(count);
  block.ids.resize(pieces);
  std::vector<std::exception_ptr> failures(pieces);
  parallel_for(count, pairs_per_piece, [&](int64_t begin, int64_t end) {
    const int64_t piece = begin / pairs_per_piece;
    try {
      Piece(corpus, first + begin, source, target, options)
          .tokenize(std::span(block.text.pairs).subspan(begin, end - begin),
                    std::span(block.pairs).subspan(begin, end - begin), block.ids[piece]);
    } catch (...) {
      failures[piece] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return block;
}

}  // namespace calque
