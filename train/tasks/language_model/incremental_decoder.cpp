#include "train/tasks/language_model/incremental_decoder.h"

#include <algorithm>

namespace calque {
namespace {

constexpr size_t longest_tail = 12, longest_anchor = 4;  // ids

}  // namespace

void IncrementalDecoder::append(std::span<const int32_t> ids) {
  tail_.insert(tail_.end(), ids.begin(), ids.end());
  text_.resize(settled_);
  text_ += std::string_view(tokenizer_.decode_document(tail_)).substr(anchor_size_);
  if (tail_.size() > longest_tail) choose_anchor();
}

void IncrementalDecoder::choose_anchor() {
  for (size_t count = 1; count <= longest_anchor; ++count) {
    const auto anchor = std::span(tail_).last(count);
    const std::string own = tokenizer_.decode_document(anchor);
    if (own.empty() || own.find(replacement_character) != own.npos) continue;
    tail_.erase(tail_.begin(), tail_.end() - static_cast<int64_t>(count));
    anchor_size_ = own.size();
    settled_ = text_.size();
    return;
  }
}

}  // namespace calque
