#include "train/tasks/masked_lm/filling.h"

#include <algorithm>

#include "core/error.h"
#include "core/tape.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// SentencePiece marks the first token of every text as the beginning of a word. Replaces ids[first]
// by the token without this mark, if the vocabulary has one, and removes a token that is only a
// mark.
void continue_word(const Tokenizer& tokenizer, std::vector<int32_t>& ids, size_t first) {
  const std::string symbol = tokenizer.symbol(ids[first]);
  if (!symbol.starts_with(space_mark)) return;
  const std::string rest = symbol.substr(space_mark.size());
  if (rest.empty()) {
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(first));
    return;
  }
  for (int32_t id = special_ids; id < tokenizer.size(); ++id) {
    if (tokenizer.symbol(id) != rest) continue;
    ids[first] = id;
    return;
  }
}

// Whether a space separates a [MASK] from these ids, which follow it.
bool follows_space(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  if (tokenizer.options().kind == TokenizerKind::words) return true;
  if (ids.empty()) return false;
  const std::string first = tokenizer.symbol(ids.front());
  if (tokenizer.options().kind == TokenizerKind::word_piece) {
    return !first.starts_with(continuation_mark);
  }
  return first.starts_with(space_mark);
}

}  // namespace

std::vector<std::vector<Filling>> fill_rows(const MaskedLm& model, const Tokenizer& tokenizer,
                                            std::span<const int32_t> ids,
                                            std::span<const int32_t> rows, int64_t count) {
  const NoGradient nothing_recorded;
  Segments segments;
  segments.append(static_cast<int32_t>(ids.size()));
  const Tensor logits = model.logits(ids, segments, rows, Mode::evaluate);
  const int64_t words = tokenizer.size() - special_ids;
  const Tensor p = softmax(slice_cols(logits, special_ids, tokenizer.size()));
  std::vector<std::vector<Filling>> all;
  for (int64_t i = 0; i < p.rows(); ++i) {
    std::vector<Filling> fillings;
    for (int64_t id = 0; id < words; ++id) {
      fillings.push_back(
          {static_cast<int32_t>(id + special_ids), static_cast<double>(p.data()[i * words + id])});
    }
    std::ranges::stable_sort(fillings, std::ranges::greater(), &Filling::probability);
    fillings.resize(static_cast<size_t>(std::min(count, words)));
    all.push_back(std::move(fillings));
  }
  return all;
}

std::vector<int32_t> encode_masked_text(const Tokenizer& tokenizer, std::string_view text) {
  const bool subwords = is_sentence_piece(tokenizer.options().kind);
  std::vector<int32_t> ids = {begin_id};
  while (true) {
    const size_t end = std::min(text.find(mask_symbol), text.size());
    const std::string_view part = text.substr(0, end);
    const size_t first = ids.size();
    tokenizer.encode_document(part, ids);
    const bool glued = ids[first - 1] == mask_id(tokenizer) && ids.size() > first &&
                       part.front() != ' ' && part.front() != '\n';
    if (subwords && glued) continue_word(tokenizer, ids, first);
    if (end == text.size()) break;
    ids.push_back(mask_id(tokenizer));
    text.remove_prefix(end + mask_symbol.size());
  }
  ids.push_back(end_id);
  return ids;
}

std::string masked_text(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  const TokenizerKind kind = tokenizer.options().kind;
  // The symbols of these kinds include the spaces.
  const bool exact = kind == TokenizerKind::characters || kind == TokenizerKind::bytes ||
                     kind == TokenizerKind::byte_pairs;
  std::string text;
  const auto append = [&](std::string_view part, bool behind_space) {
    const bool between = !text.empty() && text.back() != '\n' && !part.empty() && part[0] != '\n';
    if (!exact && between && behind_space) text += ' ';
    text += part;
  };
  while (true) {
    const auto mask = std::ranges::find(ids, mask_id(tokenizer));
    const std::span<const int32_t> before(ids.begin(), mask);
    append(tokenizer.decode_document(before), follows_space(tokenizer, before));
    if (mask == ids.end()) return text;
    append(mask_symbol, true);
    ids = {mask + 1, ids.end()};
  }
}

FilledText fill_text(const MaskedLmRun& run, const std::string& text, int64_t alternatives) {
  const std::string problem = utf8_problem(text);
  if (!problem.empty()) fail("the text: {}", problem);
  std::vector<int32_t> ids = encode_masked_text(run.tokenizer, text);
  std::vector<int32_t> rows;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == mask_id(run.tokenizer)) rows.push_back(static_cast<int32_t>(i));
  }
  if (rows.empty()) fail("the text has no [MASK]; write one where a token is missing");
  if (std::ssize(ids) > run.config.data.context) {
    fail("the text has {} tokens, but the model sees {} at once; shorten it", ids.size(),
         run.config.data.context);
  }
  FilledText filled{"", fill_rows(run.model(), run.tokenizer, ids, rows, alternatives)};
  for (size_t k = 0; k < rows.size(); ++k) {
    ids[static_cast<size_t>(rows[k])] = filled.fillings[k].front().id;
  }
  filled.text = run.tokenizer.decode_document(ids);
  return filled;
}

}  // namespace calque
