#include "decode/constraints/required_phrases.h"

#include <algorithm>

#include "core/error.h"
#include "data/text/letter_case.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// Also the parts of a character that tokens of bytes have.
bool is_word_byte(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return is_letter(byte) || is_digit(byte);
  if (find_invalid_utf8(text)) return true;
  while (at > 0 && is_inside_character(text, at)) --at;
  const char32_t point = next_code_point(text, at);
  return is_letter(point) || is_digit(point);
}

int64_t longest(const RequiredPhrase& phrase) {
  size_t most = 0;
  for (const auto& form : phrase.forms) most = std::max(most, form.size());
  return static_cast<int64_t>(most);
}

}  // namespace

WordBorders::WordBorders(const Tokenizer& tokenizer)
    : begins_inside_(tokenizer.size()), ends_inside_(tokenizer.size()) {
  const TokenizerKind kind = tokenizer.options().kind;
  if (kind == TokenizerKind::words) return;
  for (int32_t id = special_ids; id < tokenizer.size(); ++id) {
    const std::string text = tokenizer.spelling(id);
    if (kind == TokenizerKind::word_piece) {
      begins_inside_[id] = tokenizer.symbol(id).starts_with("##");
      ends_inside_[id] = true;
      continue;
    }
    if (text.empty()) continue;
    begins_inside_[id] = is_word_byte(text, 0);
    ends_inside_[id] = is_word_byte(text, text.size() - 1);
  }
}

void WordBorders::forbid_inside(int32_t token, std::span<real> scores) const {
  if (!ends_inside_[token]) return;
  for (size_t id = 0; id < scores.size(); ++id) {
    if (begins_inside_[id]) scores[id] = minus_infinity;
  }
}

RequiredPhrases::RequiredPhrases(std::vector<RequiredPhrase> phrases,
                                 std::shared_ptr<const WordBorders> borders)
    : phrases_(std::move(phrases)), borders_(std::move(borders)) {
  std::ranges::stable_sort(phrases_, std::greater<>(), longest);
  for (const RequiredPhrase& phrase : phrases_) {
    require(!phrase.forms.empty(), "RequiredPhrases: a phrase without a form");
    for (const auto& form : phrase.forms) {
      require(!form.empty(), "RequiredPhrases: a form without tokens");
    }
    lengths_.push_back(longest(phrase));
    tokens_ += lengths_.back();
  }
}

// Whether no word continues from the token before `at` to the one there.
bool RequiredPhrases::is_border(std::span<const int32_t> written, size_t at) const {
  return at == 0 || at == written.size() || !borders_->is_inside(written[at - 1], written[at]);
}

// The length of the phrase's form that is written at this place, or 0.
size_t RequiredPhrases::match(std::span<const int32_t> written, size_t at,
                              const RequiredPhrase& phrase) const {
  if (!is_border(written, at)) return 0;
  size_t most = 0;
  for (const auto& form : phrase.forms) {
    if (form.size() <= most || form.size() > written.size() - at) continue;
    if (std::ranges::equal(form, written.subspan(at, form.size())) &&
        is_border(written, at + form.size())) {
      most = form.size();
    }
  }
  return most;
}

RequiredPhrases::Progress RequiredPhrases::progress(std::span<const int32_t> written) const {
  Progress progress;
  std::vector<bool> met(phrases_.size());
  size_t left = phrases_.size();
  for (size_t at = 0; at < written.size() && left > 0;) {
    size_t length = 0;
    for (size_t i = 0; i < phrases_.size() && length == 0; ++i) {
      if (met[i]) continue;
      length = match(written, at, phrases_[i]);
      if (length == 0) continue;
      met[i] = true;
      --left;
      progress.tokens += lengths_[i];
      progress.ends_phrase = at + length == written.size();
    }
    at += std::max<size_t>(1, length);
  }
  progress.complete = left == 0;
  if (left > 0) begin_or_continue(written, met, progress);
  return progress;
}

void RequiredPhrases::begin_or_continue(std::span<const int32_t> written,
                                        const std::vector<bool>& met, Progress& progress) const {
  size_t furthest = 0;
  for (size_t i = 0; i < phrases_.size(); ++i) {
    if (met[i]) continue;
    for (const auto& form : phrases_[i].forms) {
      for (size_t begun = std::min(form.size() - 1, written.size()) + 1; begun-- > 0;) {
        const size_t at = written.size() - begun;
        if (!std::equal(form.begin(), form.begin() + static_cast<int64_t>(begun),
                        written.begin() + static_cast<int64_t>(at))) {
          continue;
        }
        const bool border =
            begun > 0 ? is_border(written, at)
                      : written.empty() || !borders_->is_inside(written.back(), form.front());
        if (!border) continue;
        furthest = std::max(furthest, begun);
        progress.next.push_back(form[begun]);
      }
    }
  }
  if (!progress.ends_phrase) progress.tokens += static_cast<int64_t>(furthest);
  std::ranges::sort(progress.next);
  const auto same = std::ranges::unique(progress.next);
  progress.next.erase(same.begin(), same.end());
}

void RequiredPhrases::forbid_tokens(const Progress& progress, std::span<const int32_t> written,
                                    std::span<real> scores) const {
  if (!progress.complete) scores[end_id] = minus_infinity;
  if (progress.ends_phrase) borders_->forbid_inside(written.back(), scores);
}

}  // namespace calque
