#include "train/tasks/language_model/draft.h"

#include <algorithm>
#include <utility>

#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

std::vector<int32_t> all_ends(const GenerationOptions& options) {
  std::vector<int32_t> ends = {end_id};
  for (const int32_t id : options.ends) {
    if (std::ranges::count(ends, id) == 0) ends.push_back(id);
  }
  return ends;
}

}  // namespace

Draft::Draft(const Tokenizer& tokenizer, std::vector<int32_t> prompt,
             const GenerationOptions& options)
    : options_(options),
      ids_(std::move(prompt)),
      decoder_(tokenizer),
      constraint_(options.constraint, all_ends(options), ids_),
      prompt_size_(ids_.size()) {
  decoder_.append(ids_);
  begin_ = decoder_.text().size();
  for (const std::string& stop : options.stop) {
    longest_stop_ = std::max(longest_stop_, stop.size());
  }
  if (constraint_.is_complete()) end(FinishReason::end);
}

std::vector<int32_t> Draft::visible(int64_t context) const {
  if (std::ssize(ids_) < context) return ids_;
  return {ids_.end() - std::max<int64_t>(1, context / 2), ids_.end()};
}

void Draft::append(const NextToken& token, std::vector<NextToken> alternatives) {
  const auto log_probability = double(token.log_probability);
  log_probability_ += log_probability;
  if (token.id == end_id || std::ranges::count(options_.ends, token.id) > 0) {
    return end(FinishReason::end);
  }
  ids_.push_back(token.id);
  chances_.push_back({log_probability, std::move(alternatives)});
  spell(token.id);
  if (stopped()) {
    end(FinishReason::stop);
  } else if (constraint_.is_complete()) {
    end(FinishReason::end);
  }
}

void Draft::spell(int32_t id) {
  if (constraint_.is_constrained()) {
    const size_t searched = spelled_.size();
    spelled_ += constraint_.spelling(id);
    constraint_.append(id);
    constrained_text_ = repaired(spelled_);
    find_stop(searched);
  } else {
    const size_t searched = decoder_.settled();
    decoder_.append({&id, 1});
    find_stop(searched - std::min(searched, begin_));
  }
}

void Draft::end(FinishReason reason) {
  finish_ = reason;
  done_ = true;
}

std::string Draft::take_final_text(bool all) {
  const std::string_view text = written_text();
  size_t end = std::min(text.size(), stop_);
  if (!all) {
    while (text.substr(0, end).ends_with(replacement_character)) {
      end -= replacement_character.size();
    }
    if (longest_stop_ > 0) end -= std::min(end, longest_stop_ - 1);
    while (is_inside_character(text, end)) --end;
  }
  if (end <= shown_) return "";  // also where a stop string has just been found
  const size_t from = std::exchange(shown_, end);
  return std::string(text.substr(from, end - from));
}

GeneratedText Draft::result() const {
  return {std::string(written_text().substr(0, stop_)),
          {ids_.begin() + static_cast<int64_t>(prompt_size_), ids_.end()},
          chances_,
          written(),
          finish_,
          log_probability_};
}

// The text after the prompt, decoded with it: some tokenizers write a space only between words.
std::string_view Draft::written_text() const {
  if (constraint_.is_constrained()) return constrained_text_;
  return std::string_view(decoder_.text()).substr(begin_);
}

// Finds stop strings that end after the first `known` bytes of the written text.
void Draft::find_stop(size_t known) {
  if (longest_stop_ == 0 || stopped()) return;
  const std::string_view text = written_text();
  const size_t from = known - std::min(known, longest_stop_ - 1);
  for (const std::string& stop : options_.stop) {
    size_t found = text.find(stop, from);
    while (found < stop_ && !constraint_.accepts(text.substr(0, found))) {
      found = text.find(stop, found + 1);
    }
    stop_ = std::min(stop_, found);
  }
}

}  // namespace calque
