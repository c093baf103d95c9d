#pragma once
// Texts of several requests that a language model generates together. Requests join at any token,
// and leave when their texts end. Between two tokens of the texts, at most one block of prompts is
// read, so that a long prompt does not delay the others for long.

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/products/packed_weights.h"
#include "data/tokenizers/tokenizer.h"
#include "decode/models/prefix_cache.h"
#include "nn/models/language_model.h"
#include "train/tasks/language_model/generation.h"

namespace calque {

struct GenerationRequest {
  std::vector<std::vector<int32_t>> prompts;  // as ids
  GenerationOptions options = {};
  std::function<void()> begun = {};  // called before the model reads the prompts
  TextSink sink = {};
  // Get the texts of each prompt, or an exception that the model or one of these functions threw.
  std::function<void(std::vector<std::vector<GeneratedText>>)> done = {};
  std::function<void(std::exception_ptr)> failed = {};
  // A cancelled request is dropped, and neither is called.
  std::function<bool()> cancelled = {};
};

class GenerationBatch {
 public:
  // How texts share passes through the model.
  enum class Sharing {
    // A pass has few rows, or a block of one prompt: the bits of a text do not depend on others.
    like_alone,
    // A pass is as large as is fast. The last bits depend on the number of texts.
    fast,
  };

  // All must outlive this. A cache needs Sharing::like_alone, and may be null.
  GenerationBatch(const LanguageModel& model, const Tokenizer& tokenizer, Sharing sharing,
                  PrefixCache* cache = nullptr);
  ~GenerationBatch();
  GenerationBatch(const GenerationBatch&) = delete;
  GenerationBatch& operator=(const GenerationBatch&) = delete;

  void add(GenerationRequest request);
  // Reads a block of prompts, and generates a token of each text. Returns false if there are none.
  bool advance();

 private:
  struct Request;
  struct Text;
  struct Prompt;
  struct Drawn;
  using Requests = std::list<std::unique_ptr<Request>>;

  void drop_cancelled();
  void begin_requests();
  void begin(Request& request);
  void queue_prompt(std::unique_ptr<Prompt> prompt);
  void read_prompts();
  void take_from_cache(Prompt& prompt) const;
  void keep_in_cache(const Prompt& prompt) const;
  void end_prompt(Prompt& prompt);
  std::vector<Text*> ready_texts() const;
  void generate(const std::vector<Text*>& texts);
  void draw(std::span<Text* const> texts);
  void follow(Text& text);
  void end_requests();
  void fail_all(const std::exception_ptr& why);

  const LanguageModel& model_;
  const Tokenizer& tokenizer_;
  const Sharing sharing_;
  PrefixCache* const cache_;
  const int64_t most_positions_;
  Requests requests_;                            // in the order in which they were added
  std::deque<std::unique_ptr<Prompt>> prompts_;  // that are read; the next one first
  std::unique_ptr<const PackedWeights> packed_;  // once passes have many rows
};

}  // namespace calque
