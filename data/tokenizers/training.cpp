#include "data/tokenizers/training.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "data/corpora/selection.h"

namespace calque {
namespace {

constexpr int64_t training_rows_at_once = 1 << 14, training_bytes_at_once = 4 << 20;

Vocabulary most_frequent(const std::unordered_map<std::string, int64_t>& counts, bool words,
                         const TokenizerTraining& training) {
  std::vector<std::pair<std::string_view, int64_t>> sorted;
  for (const auto& [symbol, count] : counts) {
    if (count >= training.min_count) sorted.emplace_back(symbol, count);
  }
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Vocabulary vocabulary;
  for (const std::string& mark : training.marks) vocabulary.add(mark);
  if (training.newline) vocabulary.add(std::string(newline_symbol));
  if (words) {
    for (const std::string& symbol : training.symbols) vocabulary.add(symbol);
  }
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
  const auto count = [&](std::string_view symbol) { ++counts[std::string(symbol)]; };
  for (const std::string& text : texts) {
    const std::string ready = prepare_text(text, options);
    if (training.newline) {
      for_each_line(ready, [&](std::string_view line) { for_each_line_symbol(unit, line, count); });
    } else {
      for_each_symbol(unit, ready, count);
    }
  }
  return {SymbolModel{unit, most_frequent(counts, unit == SymbolUnit::word, training)}, options};
}

std::vector<std::string> lines_of(const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (const std::string& text : texts) {
    for_each_line(text, [&](std::string_view line) {
      if (!line.empty()) lines.emplace_back(line);
    });
  }
  return lines;
}

}  // namespace

Tokenizer train_tokenizer(std::vector<std::string> texts, const TokenizerOptions& options,
                          const TokenizerTraining& training) {
  if (options.kind == TokenizerKind::bytes) {
    if (!training.marks.empty())
      fail("training the tokenizer: bytes have no room for other tokens");
    return {ByteModel(), options};
  }
  if (options.kind == TokenizerKind::word_piece) {
    fail("training the tokenizer: WordPiece cannot be trained; name an imported vocabulary");
  }
  if (options.kind == TokenizerKind::byte_pairs) {
    fail("training the tokenizer: byte-level BPE cannot be trained; name an imported vocabulary");
  }
  std::erase(texts, std::string());
  if (texts.empty()) fail("training the tokenizer: there is no text to train it on");
  if (!is_sentence_piece(options.kind)) return train_symbols(texts, options, training);
  if (training.newline) texts = lines_of(texts);
  for (std::string& text : texts) text = prepare_text(text, options);
  const std::string model =
      train_sentence_piece(texts, {.unigram = options.kind == TokenizerKind::unigram,
                                   .nfkc = options.nfkc,
                                   .vocabulary_size = training.vocabulary_size,
                                   .character_coverage = training.character_coverage,
                                   .byte_fallback = training.byte_fallback,
                                   .newline = training.newline,
                                   .symbols = training.symbols,
                                   .marks = training.marks});
  return {SentencePieceModel(model, "the trained tokenizer"), options};
}

std::vector<std::string> sample_texts(const std::vector<Corpus>& corpora,
                                      const std::vector<int>& columns, int64_t most,
                                      uint64_t seed) {
  int64_t all = 0;
  for (const Corpus& corpus : corpora) all += corpus.size();
  Selection selection(all, most, seed);
  std::vector<std::string> texts;
  for (const Corpus& corpus : corpora) {
    for (int64_t first = 0; first < corpus.size();) {
      const RowBlock block = corpus.read(first, training_rows_at_once, training_bytes_at_once);
      for (int64_t i = 0; i < block.rows(); ++i) {
        if (!selection.take_next()) continue;
        for (const int column : columns) {
          const Line& line = block.row(i)[column];
          if (is_text(line)) texts.emplace_back(line.text);
        }
      }
      first += block.rows();
    }
  }
  return texts;
}

}  // namespace calque
