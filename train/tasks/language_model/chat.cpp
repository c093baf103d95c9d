#include "train/tasks/language_model/chat.h"

#include <utility>

#include "core/error.h"

namespace calque {

ChatPrompt chat_prompt(const TurnTokens& turns, const Conversation& conversation,
                       GenerationOptions options, int64_t answer) {
  ChatPrompt prompt;
  prompt.options = std::move(options);
  prompt.options.ends = turns.ends();
  for (const std::string& text : turns.end_texts()) prompt.options.stop.push_back(text);
  Conversation kept = conversation;
  const size_t first = !kept.empty() && kept.front().speaker == Speaker::system ? 1 : 0;
  const int64_t context = prompt.options.context;
  const int64_t room = context - std::min(answer, context / 2);
  while (true) {
    prompt.ids = turns.encode(kept, true).ids;
    if (std::ssize(prompt.ids) <= room) return prompt;
    if (kept.size() < first + 3) {
      fail("the text has {} tokens, more than the {} that the model reads at once",
           prompt.ids.size(), room);
    }
    const auto oldest = kept.begin() + static_cast<std::ptrdiff_t>(first);
    kept.erase(oldest, oldest + 2);  // a text of the user and its answer
    prompt.forgotten += 2;
  }
}

namespace {

TurnTokens tokens_of(const Tokenizer& tokenizer, const TurnOptions& turns, const RunFolder& run) {
  if (turns.format == TurnFormat::none) {
    fail("{}: has no turn format (data.turns); it was not trained on conversations", run.path);
  }
  return {tokenizer, turns};
}

}  // namespace

TurnTokens turns_of_run(const LanguageModelRun& run, TurnFormat format) {
  TurnOptions turns = run.config.data.turns;
  if (format != TurnFormat::none && format != turns.format) turns = {format};
  return tokens_of(run.tokenizer, turns, run.folder);
}

TurnTokens turns_of_run(const std::string& place) {
  const RunLocation run = find_run(place, TaskKind::language_model);
  return tokens_of(open_text_tokenizer(run.config, run.folder, {TaskStart::Purpose::use}),
                   run.config.data.turns, run.folder);
}

Chat::Answer Chat::answer(const std::string& text,
                          const std::function<void(const std::string&)>& sink) {
  Conversation conversation = conversation_;
  conversation.push_back({Speaker::user, text});
  const ChatPrompt prompt = chat_prompt(turns_, conversation, options_, options_.max_tokens);
  const auto texts = generate_after(run_.model(), run_.tokenizer, {&prompt.ids, 1}, prompt.options,
                                    [&](size_t, size_t, const std::string& part) { sink(part); });
  const GeneratedText& answer = texts.front().front();
  conversation.push_back({Speaker::assistant, answer.text});
  conversation_ = std::move(conversation);
  ++options_.sampling.seed;  // so that a repeated text gets another answer
  return {answer.tokens, prompt.forgotten, answer.finish};
}

void Chat::reset() {
  const bool system = !conversation_.empty() && conversation_.front().speaker == Speaker::system;
  conversation_.resize(system ? 1 : 0);
}

void Chat::set_system(std::string system) {
  conversation_.clear();
  if (!system.empty()) conversation_.push_back({Speaker::system, std::move(system)});
}

}  // namespace calque
