#pragma once
// A conversation with a language model, in the turn format that it was trained with.

#include <functional>
#include <string>
#include <vector>

#include "data/conversations/turn_tokens.h"
#include "train/tasks/language_model/generation.h"
#include "train/tasks/language_model/run.h"

namespace calque {

// What the model reads before it answers, and how the answer ends.
struct ChatPrompt {
  std::vector<int32_t> ids;
  GenerationOptions options;
  int64_t forgotten = 0;  // the messages left out so that the rest fits the context
};

// Leaves out the oldest messages, except a system text, until the conversation and `answer` tokens
// fit the context. Throws an Error if the last message alone does not fit, and for a conversation
// that the format cannot hold.
ChatPrompt chat_prompt(const TurnTokens& turns, const Conversation& conversation,
                       GenerationOptions options, int64_t answer);

// The turn format of a run, or the given one. Throws an Error if it has none.
TurnTokens turns_of_run(const LanguageModelRun& run, TurnFormat format = TurnFormat::none);
// The same for the run at `place`, whose weights are not read.
TurnTokens turns_of_run(const std::string& place);

class Chat {
 public:
  Chat(const LanguageModelRun& run, TurnTokens turns, GenerationOptions options)
      : run_(run), turns_(std::move(turns)), options_(std::move(options)) {}

  struct Answer {
    int64_t tokens = 0, forgotten = 0;
    FinishReason finish = FinishReason::end;
  };
  // Passes on the answer as it is written, and remembers both.
  Answer answer(const std::string& text, const std::function<void(const std::string&)>& sink);

  void reset();                         // forgets all but the system text
  void set_system(std::string system);  // and forgets the rest; an empty text is none

 private:
  const LanguageModelRun& run_;
  TurnTokens turns_;
  GenerationOptions options_;
  Conversation conversation_;
};

}  // namespace calque
