#include "train/tasks/language_model/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "data/conversations/dataset.h"
#include "data/text/trimmed.h"
#include "train/metrics/translation/chrf.h"
#include "train/tasks/language_model/generation.h"

namespace calque {
namespace {

// How much longer than the longest known answer of a batch an answer may be, in tokens.
constexpr int64_t more_tokens = 32;
constexpr size_t answers_at_once = 256;

std::string without_outer_space(std::string_view text) {
  return std::string(trimmed(text, " \t\r\n"));
}

// The ids before the last answer, and those of the answer without what ends it.
struct Parts {
  std::vector<int32_t> prompt, answer;
};

Parts parts_of(const Dataset& conversations, int64_t number, const std::vector<int32_t>& ends) {
  Example columns;
  conversations.tokens->read(number, columns);
  const std::vector<int32_t>&ids = columns[0], &runs = columns[1];
  const size_t last = (runs.size() / 2) * 2 - 1;  // the runs are rest and answer in turn
  const auto begin = ids.begin() + std::accumulate(runs.begin(), runs.begin() + last, int64_t{0});
  auto end = begin + runs[last];
  while (end > begin && std::ranges::count(ends, *(end - 1)) > 0) --end;
  return {{ids.begin(), begin}, {begin, end}};
}

// The text that `ids` add to that of `before`: some tokenizers write a space only between words.
std::string text_after(const Tokenizer& tokenizer, std::vector<int32_t> before,
                       const std::vector<int32_t>& ids) {
  const size_t begin = tokenizer.decode_document(before).size();
  before.insert(before.end(), ids.begin(), ids.end());
  return tokenizer.decode_document(before).substr(begin);
}

// An answer ends before its end marker, where that is text.
std::string without_end(std::string text, const std::vector<std::string>& end_texts) {
  for (const std::string& end : end_texts) {
    if (text.ends_with(end)) text.resize(text.size() - end.size());
  }
  return without_outer_space(text);
}

}  // namespace

std::vector<KnownAnswer> answer_conversations(const LanguageModel& model,
                                              const Tokenizer& tokenizer, const Config& config,
                                              const Dataset& conversations,
                                              std::span<const int64_t> numbers,
                                              const std::vector<std::string>& stop) {
  require(is_of_conversations(conversations), "answer_conversations: other texts");
  const TurnTokens turns(tokenizer, config.data.turns);
  GenerationOptions options{.sampling = {.temperature = 0},
                            .context = config.data.context,
                            .stop = stop,
                            .ends = turns.ends()};
  for (const std::string& text : turns.end_texts()) options.stop.push_back(text);
  std::vector<KnownAnswer> answers;
  for (size_t first = 0; first < numbers.size(); first += answers_at_once) {
    std::vector<std::vector<int32_t>> prompts;
    options.max_tokens = 0;
    for (size_t i = first; i < std::min(numbers.size(), first + answers_at_once); ++i) {
      Parts parts = parts_of(conversations, numbers[i], options.ends);
      options.max_tokens = std::max(options.max_tokens, std::ssize(parts.answer) + more_tokens);
      const std::string reference = text_after(tokenizer, parts.prompt, parts.answer);
      answers.push_back({.prompt = without_outer_space(tokenizer.decode_document(parts.prompt)),
                         .reference = without_end(reference, turns.end_texts()),
                         .answer = {}});
      prompts.push_back(std::move(parts.prompt));
    }
    const auto texts = generate_after(model, tokenizer, prompts, options);
    for (size_t i = 0; i < texts.size(); ++i) {
      answers[first + i].answer = without_outer_space(texts[i].front().text);
    }
  }
  return answers;
}

std::string answers_text(std::span<const KnownAnswer> answers) {
  if (answers.empty()) return "";
  const auto exact = std::ranges::count_if(answers, &KnownAnswer::exact);
  std::vector<std::string> outputs, references;
  for (const KnownAnswer& each : answers) {
    outputs.push_back(each.answer);
    references.push_back(each.reference);
  }
  return fmt::format("  {} answers: exact {:.1f}%  chrF {:.1f}\n", answers.size(),
                     100.0 * static_cast<double>(exact) / static_cast<double>(answers.size()),
                     chrf(outputs, {{references}}).score);
}

}  // namespace calque
