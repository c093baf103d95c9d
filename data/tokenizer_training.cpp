#include "data/tokenizer_training.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/random.h"

namespace calque {
namespace {

constexpr int64_t pairs_at_once = 1 << 14, bytes_at_once = 4 << 20;
constexpr uint32_t sampling_use = 0x7e47;  // tells this stream from others of the same seed

// The numbers of the pairs to take, ascending: each pair alone is taken or left so that exactly
// `wanted` of `all` are (Knuth's selection sampling).
class Selection {
 public:
  Selection(int64_t all, int64_t wanted, uint64_t seed)
      : left_(all), wanted_(std::min(all, wanted)), random_({.seed = seed, .use = sampling_use}) {}

  bool take_next() {
    const bool take = static_cast<int64_t>(random_.below(left_--)) < wanted_;
    if (take) --wanted_;
    return take;
  }

 private:
  int64_t left_, wanted_;
  Random random_;
};

Vocabulary most_frequent(const std::unordered_map<std::string, int64_t>& counts,
                         const TokenizerTraining& training) {
  std::vector<std::pair<std::string_view, int64_t>> sorted;
  for (const auto& [symbol, count] : counts) {
    if (count >= training.min_count) sorted.emplace_back(symbol, count);
  }
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Vocabulary vocabulary;
  for (const auto& [symbol, count] : sorted) {
    if (training.vocabulary_size > 0 && vocabulary.size() >= training.vocabulary_size) break;
    if (!vocabulary.find(symbol)) vocabulary.add(std::string(symbol));
  }
  return vocabulary;
}

Tokenizer train_symbols(const std::vector<std::string>& texts, const TokenizerOptions& options,
                        const TokenizerTraining& training) {
  const SymbolUnit unit =
      options.kind == TokenizerKind::words ? SymbolUnit::word : SymbolUnit::character;
  std::unordered_map<std::string, int64_t> counts;
  for (const std::string& text : texts) {
    for_each_symbol(unit, prepare_text(text, options),
                    [&](std::string_view symbol) { ++counts[std::string(symbol)]; });
  }
  return {SymbolModel{unit, most_frequent(counts, training)}, options};
}

}  // namespace

Tokenizer train_tokenizer(std::vector<std::string> texts, const TokenizerOptions& options,
                          const TokenizerTraining& training) {
  std::erase(texts, std::string());
  if (texts.empty()) fail("training the tokeniser: there is no text to train it on");
  if (!is_sentence_piece(options.kind)) return train_symbols(texts, options, training);
  for (std::string& text : texts) text = prepare_text(text, options);
  const std::string model =
      train_sentence_piece(std::move(texts), {.unigram = options.kind == TokenizerKind::unigram,
                                              .nfkc = options.nfkc,
                                              .vocabulary_size = training.vocabulary_size,
                                              .character_coverage = training.character_coverage,
                                              .byte_fallback = training.byte_fallback});
  return {SentencePieceModel(model, "the trained tokeniser"), options};
}

std::vector<std::string> sample_texts(const std::vector<Corpus>& corpora,
                                      const std::vector<Side>& sides, int64_t most, uint64_t seed) {
  int64_t all = 0;
  for (const Corpus& corpus : corpora) all += corpus.size();
  Selection selection(all, most, seed);
  std::vector<std::string> texts;
  for (const Corpus& corpus : corpora) {
    for (int64_t first = 0; first < corpus.size();) {
      const PairBlock block = corpus.read(first, pairs_at_once, bytes_at_once);
      for (const LinePair& pair : block.pairs) {
        if (!selection.take_next()) continue;
        for (const Side side : sides) {
          const Line& line = side == Side::source ? pair.source : pair.target;
          if (is_text(line)) texts.emplace_back(line.text);
        }
      }
      first += static_cast<int64_t>(block.pairs.size());
    }
  }
  return texts;
}

}  // namespace calque
