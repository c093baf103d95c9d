#include "serve/routes/generation.h"

#include <algorithm>
#include <chrono>

#include "data/text/utf8.h"
#include "serve/http/error.h"
#include "serve/work/background.h"

namespace calque {

using nlohmann::json;

const ServedLanguageModel& language_model_for(const Service& service, const Fields& fields) {
  const auto& models = service.runs().language_models;
  if (models.empty()) refuse(404, "no language model is served");
  if (!fields.has("model")) return models.front();
  const std::string name = fields.text("model");
  const auto found = std::ranges::find(models, name, &ServedLanguageModel::name);
  if (found == models.end()) refuse(404, "the model {} does not exist", name);
  return *found;
}

GenerationOptions generation_options(const Service& service, const Fields& fields,
                                     const ServedLanguageModel& model, std::string_view length,
                                     int64_t usual_length) {
  const ServiceOptions& limits = service.options();
  GenerationOptions options;
  options.context = model.run.config.data.context;
  options.max_tokens = fields.whole_or(length, usual_length, 1, limits.new_tokens);
  options.samples = fields.whole_or("n", 1, 1, limits.samples);
  options.sampling.temperature = fields.number_or("temperature", 1, 0, 100);
  options.sampling.top_p = fields.number_or("top_p", 1, 0, 1);
  options.sampling.top_k = fields.whole_or("top_k", 0, 0, 1'000'000);
  options.sampling.min_p = fields.number_or("min_p", 0, 0, 1);
  options.sampling.seed = static_cast<uint64_t>(fields.whole_or(
      "seed", std::chrono::system_clock::now().time_since_epoch().count() & INT64_MAX, 0,
      INT64_MAX));
  if (fields.has("stop")) options.stop = fields.texts("stop");
  std::erase(options.stop, "");
  if (options.stop.size() > 16) {
    refuse(400, "stop: has {} texts; at most 16 are allowed", options.stop.size());
  }
  if (fields.has("logit_bias")) refuse(400, "logit_bias: is not supported");
  for (const char* name : {"presence_penalty", "frequency_penalty"}) {
    fields.number_or(name, 0, 0, 0);
  }
  return options;
}

const char* finish_name(FinishReason reason) {
  return reason == FinishReason::length ? "length" : "stop";
}

std::string openai_token(const Tokenizer& tokenizer, int32_t id) {
  const std::string text = tokenizer.spelling(id);
  if (text.empty()) return tokenizer.symbol(id);
  if (!find_invalid_utf8(text)) return text;
  std::string bytes = "bytes:";
  for (const char c : text) bytes += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return bytes;
}

json answer_head(std::string_view prefix, std::string_view object,
                 const ServedLanguageModel& model) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {{"id", fmt::format("{}-{:x}", prefix, now.count())},
          {"object", object},
          {"created", std::chrono::duration_cast<std::chrono::seconds>(now).count()},
          {"model", model.name}};
}

json usage_json(int64_t prompt_tokens, const std::vector<std::vector<GeneratedText>>& texts) {
  int64_t tokens = 0, cached = 0;
  for (const auto& of_prompt : texts) {
    for (const GeneratedText& text : of_prompt) tokens += text.tokens;
    cached += of_prompt.front().cached_tokens;
  }
  return {{"prompt_tokens", prompt_tokens},
          {"completion_tokens", tokens},
          {"total_tokens", prompt_tokens + tokens},
          {"prompt_tokens_details", {{"cached_tokens", std::min(cached, prompt_tokens)}}}};
}

bool wants_usage(const Fields& fields) {
  if (!fields.has("stream_options")) return false;
  const json& options = fields.values()["stream_options"];
  return options.is_object() && options.contains("include_usage") &&
         options["include_usage"] == true;
}

void end_with_error(const Answer& answer, const std::exception_ptr& why) {
  answer.event({{"error", {{"message", message_for_client(why)}, {"type", "server_error"}}}});
  answer.end_events();
}

}  // namespace calque
