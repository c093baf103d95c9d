#include "train/tasks/masked_lm/filling.h"

#include <algorithm>

#include "core/tape.h"
#include "data/vocabulary.h"

namespace calque {

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
  std::vector<int32_t> ids = {begin_id};
  while (true) {
    const size_t end = std::min(text.find(mask_symbol), text.size());
    tokenizer.encode_document(text.substr(0, end), ids);
    if (end == text.size()) break;
    ids.push_back(mask_id(tokenizer));
    text.remove_prefix(end + mask_symbol.size());
  }
  ids.push_back(end_id);
  return ids;
}

std::string masked_text(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  std::string text;
  const auto append = [&](const std::string& part) {
    if (!text.empty() && !part.empty()) text += ' ';
    text += part;
  };
  while (true) {
    const auto mask = std::ranges::find(ids, mask_id(tokenizer));
    append(tokenizer.decode_document({ids.begin(), mask}));
    if (mask == ids.end()) return text;
    append(std::string(mask_symbol));
    ids = {mask + 1, ids.end()};
  }
}

}  // namespace calque
