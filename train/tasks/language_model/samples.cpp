#include "train/tasks/language_model/samples.h"

#include <algorithm>

#include "data/conversations/dataset.h"
#include "data/conversations/preference_dataset.h"
#include "data/documents/windows.h"
#include "nn/layers/expert_load.h"
#include "train/tasks/language_model/answers.h"
#include "train/tasks/language_model/generation.h"
#include "train/tasks/language_model/settings.h"

namespace calque {
namespace {

constexpr size_t prompt_tokens = 24;

std::vector<std::string> prompts_of(const Tokenizer& tokenizer, const TextWindows& windows,
                                    int64_t count) {
  std::vector<std::string> prompts;
  std::vector<int32_t> inputs, expected;
  for (int64_t i = 0; i < count; ++i) {
    windows.read(0, i * windows.count() / count, inputs, expected);
    inputs.resize(std::min(inputs.size(), prompt_tokens));
    prompts.push_back(tokenizer.decode_document(inputs));
  }
  return prompts;
}

std::vector<Sample> sample_answers(const LanguageModel& model, const Tokenizer& tokenizer,
                                   const Dataset& conversations, const Config& config,
                                   int64_t count) {
  const int64_t all = conversations.examples();
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < std::min(count, all); ++i) {
    numbers.push_back(i * all / std::min(count, all));
  }
  std::vector<Sample> samples;
  for (KnownAnswer& each : answer_conversations(model, tokenizer, config, conversations, numbers)) {
    samples.push_back({std::move(each.prompt), std::move(each.reference), std::move(each.answer)});
  }
  return samples;
}

}  // namespace

std::vector<Sample> sample_continuations(const LanguageModel& model, const Tokenizer& tokenizer,
                                         const Dataset& text, const Config& config, int64_t count) {
  const ExpertLoad not_counted;
  if (is_of_preferences(text)) return {};
  if (is_of_conversations(text)) return sample_answers(model, tokenizer, text, config, count);
  const TextWindows windows(text, window_options(config, WindowUse::evaluation));
  const auto prompts = prompts_of(tokenizer, windows, std::min(count, windows.count()));
  if (prompts.empty()) return {};
  GenerationOptions options;
  options.sampling = {.temperature = 0.8, .top_p = 0.95};
  options.max_tokens = std::min<int64_t>(config.data.context, 160);
  options.context = config.data.context;
  const auto texts = generate_texts(model, tokenizer, prompts, options);
  std::vector<Sample> samples;
  for (size_t i = 0; i < texts.size(); ++i) {
    samples.push_back({prompts[i], "", texts[i].front().text});
  }
  return samples;
}

}  // namespace calque
