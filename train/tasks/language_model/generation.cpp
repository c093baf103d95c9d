#include "train/tasks/language_model/generation.h"

#include <algorithm>
#include <utility>

#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/language_model/generation_batch.h"
#include "train/tasks/language_model/incremental_decoder.h"

namespace calque {
namespace {

// The number of characters at the beginning that both texts have.
int64_t common_characters(std::string_view a, std::string_view b) {
  auto end = static_cast<size_t>(std::ranges::mismatch(a, b).in2 - b.begin());
  while (is_inside_character(b, end)) --end;
  return count_code_points(b.substr(0, end));
}

}  // namespace

std::vector<std::vector<GeneratedText>> generate_texts(const LanguageModel& model,
                                                       const Tokenizer& tokenizer,
                                                       std::span<const std::string> prompts,
                                                       const GenerationOptions& options,
                                                       const TextSink& sink) {
  std::vector<std::vector<int32_t>> read;
  for (const std::string& prompt : prompts) read.push_back(prompt_ids(tokenizer, prompt));
  return generate_after(model, tokenizer, read, options, sink);
}

std::vector<std::vector<GeneratedText>> generate_after(
    const LanguageModel& model, const Tokenizer& tokenizer,
    std::span<const std::vector<int32_t>> prompts, const GenerationOptions& options,
    const TextSink& sink) {
  GenerationBatch batch(model, tokenizer, GenerationBatch::Sharing::fast);
  std::vector<std::vector<GeneratedText>> texts;
  batch.add({.prompts = {prompts.begin(), prompts.end()},
             .options = options,
             .sink = sink,
             .done = [&](auto results) { texts = std::move(results); },
             .failed = [](const std::exception_ptr& why) { std::rethrow_exception(why); }});
  while (batch.advance()) {
  }
  return texts;
}

std::vector<int32_t> prompt_ids(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<int32_t> ids = {begin_id};
  tokenizer.encode_document(text, ids);
  return ids;
}

std::vector<int64_t> text_offsets(const Tokenizer& tokenizer, const std::string& prompt,
                                  const GeneratedText& text) {
  IncrementalDecoder decoder(tokenizer);
  decoder.append(prompt_ids(tokenizer, prompt));
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
