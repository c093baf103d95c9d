#include "train/tasks/language_model/generation.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/models/language_decoding.h"
#include "train/tasks/language_model/incremental_decoder.h"

namespace calque {
namespace {

// The number of characters at the beginning that both texts have.
int64_t common_characters(std::string_view a, std::string_view b) {
  auto end = static_cast<size_t>(std::ranges::mismatch(a, b).in2 - b.begin());
  while (is_inside_character(b, end)) --end;
  return count_code_points(b.substr(0, end));
}

std::vector<int32_t> all_ends(const GenerationOptions& options) {
  std::vector<int32_t> ends = {end_id};
  for (const int32_t id : options.ends) {
    if (std::ranges::count(ends, id) == 0) ends.push_back(id);
  }
  return ends;
}

// A text that is being generated. Under a constraint it is what the constraint says that its tokens
// spell; otherwise what the tokenizer decodes.
class Draft {
 public:
  Draft(const Tokenizer& tokenizer, std::vector<int32_t> prompt, const GenerationOptions& options)
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
  }

  int64_t written() const { return std::ssize(ids_) - static_cast<int64_t>(prompt_size_); }
  bool done() const { return done_ || written() >= options_.max_tokens; }
  bool ended() const { return done_; }
  // Whether a stop string has occurred.
  bool stopped() const { return stop_ != std::string::npos; }

  // The tokens that the model reads next: all, or the last half of the context once it is full.
  std::vector<int32_t> visible() const {
    const auto context = static_cast<size_t>(options_.context);
    if (ids_.size() < context) return ids_;
    const size_t kept = std::max<size_t>(1, context / 2);
    return {ids_.end() - static_cast<int64_t>(kept), ids_.end()};
  }

  const ConstrainedText& constraint() const { return constraint_; }

  void append(std::span<const int32_t> ids) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    if (constraint_.is_constrained()) {
      const size_t searched = spelled_.size();
      for (const int32_t id : ids) {
        spelled_ += constraint_.spelling(id);
        constraint_.append(id);
      }
      constrained_text_ = repaired(spelled_);
      find_stop(searched);
    } else {
      const size_t searched = decoder_.settled();
      decoder_.append(ids);
      find_stop(searched - std::min(searched, begin_));
    }
  }

  void end(FinishReason reason) {
    finish_ = reason;
    done_ = true;
  }
  void add_probability(double log_probability) { log_probability_ += log_probability; }

  // The text that has become final since the last call. `all` makes the rest of the text final.
  std::string take_final_text(bool all) {
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

  GeneratedText result() const {
    return {std::string(written_text().substr(0, stop_)),
            {ids_.begin() + static_cast<int64_t>(prompt_size_), ids_.end()},
            written(),
            finish_,
            log_probability_};
  }

 private:
  // The text after the prompt, decoded with it: some tokenizers write a space only between words.
  std::string_view written_text() const {
    if (constraint_.is_constrained()) return constrained_text_;
    return std::string_view(decoder_.text()).substr(begin_);
  }

  // Finds stop strings that end after the first `known` bytes of the written text.
  void find_stop(size_t known) {
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

  const GenerationOptions& options_;
  std::vector<int32_t> ids_;  // the prompt, and what is written
  IncrementalDecoder decoder_;
  ConstrainedText constraint_;
  std::string spelled_, constrained_text_;  // the bytes under a constraint, and their text
  size_t prompt_size_;                      // ids
  size_t begin_ = 0;                        // bytes of the prompt's text
  size_t longest_stop_ = 0, shown_ = 0;     // bytes
  size_t stop_ = std::string::npos;         // where a stop string begins in the written text
  bool done_ = false;
  FinishReason finish_ = FinishReason::length;
  double log_probability_ = 0;
};

// Each round continues all unfinished drafts until they end or their context is full.
class Rounds {
 public:
  Rounds(const LanguageModel& model, const GenerationOptions& options, const TextSink& sink)
      : model_(model), options_(options), sink_(sink) {}

  void run(std::vector<Draft>& drafts) {
    for (uint64_t round = 0; start(drafts); ++round) continue_drafts(drafts, round);
  }

 private:
  // Lists the drafts of a round. Returns false if there is none.
  bool start(const std::vector<Draft>& drafts) {
    numbers_.clear();
    prompts_.clear();
    for (size_t i = 0; i < drafts.size(); ++i) {
      if (drafts[i].done()) continue;
      numbers_.push_back(i);
      prompts_.push_back(drafts[i].visible());
    }
    return !numbers_.empty();
  }

  void continue_drafts(std::vector<Draft>& drafts, uint64_t round) {
    const DecodingModel model = language_decoding_model(model_, prompts_);
    std::vector<DecodingItem> items = language_items(prompts_, 1);
    for (size_t k = 0; k < items.size(); ++k) {
      const Draft& draft = drafts[numbers_[k]];
      const int64_t room = std::max<int64_t>(1, options_.context - std::ssize(prompts_[k]));
      items[k].longest = std::min(room, options_.max_tokens - draft.written());
      items[k].expected = items[k].longest;
      items[k].number = static_cast<int64_t>(numbers_[k]);
      items[k].constraint = draft.constraint();
    }
    SamplingOptions sampling;
    sampling.sampling = options_.sampling;
    sampling.sampling.seed += round * 0x9E3779B97F4A7C15;  // other draws in each round
    sampling.close_at_longest = false;
    if (streams()) {
      sampling.token = [&](const SampledToken& token) { append_token(drafts, token); };
      sampling.stop = [&](size_t item, std::span<const int32_t>) {
        Draft& draft = drafts[numbers_[item]];
        if (draft.stopped()) draft.end(FinishReason::stop);
        return draft.stopped() || draft.ended();
      };
    }
    const auto found = sample({&model, 1}, items, sampling);
    for (size_t k = 0; k < found.size(); ++k) end_round(drafts[numbers_[k]], found[k].front());
  }

  // Whether drafts receive each token as it is drawn.
  bool streams() const {
    return !options_.stop.empty() || !options_.ends.empty() || options_.constraint || sink_;
  }

  void append_token(std::vector<Draft>& drafts, const SampledToken& token) {
    Draft& draft = drafts[numbers_[token.item]];
    if (std::ranges::count(options_.ends, token.id) > 0) {
      draft.end(FinishReason::end);
    } else if (token.id != end_id) {
      draft.append({&token.id, 1});
    }
    if (!sink_) return;
    const std::string text = draft.take_final_text(false);
    const auto samples = static_cast<size_t>(options_.samples);
    if (!text.empty()) sink_(numbers_[token.item] / samples, numbers_[token.item] % samples, text);
  }

  void end_round(Draft& draft, const Hypothesis& hypothesis) const {
    draft.add_probability(hypothesis.log_probability);
    if (!streams()) draft.append(hypothesis.ids);
    if (hypothesis.finished && !draft.ended()) draft.end(FinishReason::end);
    if (!hypothesis.finished && hypothesis.ids.empty()) draft.end(FinishReason::length);
  }

  const LanguageModel& model_;
  const GenerationOptions& options_;
  const TextSink& sink_;
  std::vector<size_t> numbers_;                // of this round's drafts
  std::vector<std::vector<int32_t>> prompts_;  // the tokens that each of these drafts reads
};

}  // namespace

std::vector<std::vector<GeneratedText>> generate_texts(const LanguageModel& model,
                                                       const Tokenizer& tokenizer,
                                                       std::span<const std::string> prompts,
                                                       const GenerationOptions& options,
                                                       const TextSink& sink) {
  std::vector<std::vector<int32_t>> read;
  for (const std::string& prompt : prompts) {
    read.push_back({begin_id});
    tokenizer.encode_document(prompt, read.back());
  }
  return generate_after(model, tokenizer, read, options, sink);
}

std::vector<std::vector<GeneratedText>> generate_after(
    const LanguageModel& model, const Tokenizer& tokenizer,
    std::span<const std::vector<int32_t>> prompts, const GenerationOptions& options,
    const TextSink& sink) {
  require(options.samples >= 1 && options.max_tokens >= 1 && options.context >= 1,
          "generate_texts: {} samples of {} tokens", options.samples, options.max_tokens);
  std::vector<Draft> drafts;
  for (const std::vector<int32_t>& prompt : prompts) {
    for (int64_t i = 0; i < options.samples; ++i) drafts.emplace_back(tokenizer, prompt, options);
  }
  Rounds(model, options, sink).run(drafts);
  std::vector<std::vector<GeneratedText>> texts(prompts.size());
  const auto samples = static_cast<size_t>(options.samples);
  for (size_t i = 0; i < drafts.size(); ++i) {
    if (sink) {
      const std::string rest = drafts[i].take_final_text(true);
      if (!rest.empty()) sink(i / samples, i % samples, rest);
    }
    texts[i / samples].push_back(drafts[i].result());
  }
  return texts;
}

std::vector<int64_t> text_offsets(const Tokenizer& tokenizer, const std::string& prompt,
                                  const GeneratedText& text) {
  std::vector<int32_t> read = {begin_id};
  tokenizer.encode_document(prompt, read);
  IncrementalDecoder decoder(tokenizer);
  decoder.append(read);
  const size_t begin = decoder.text().size();
  std::vector<int64_t> offsets;
  for (const int32_t id : text.ids) {
    const std::string_view written = std::string_view(decoder.text()).substr(begin);
    offsets.push_back(common_characters(written, text.text));
    decoder.append({&id, 1});
  }
  return offsets;
}

}  // namespace calque
