// OpenAI's interface to conversations: /v1/chat/completions.
#include <algorithm>

#include "core/error.h"
#include "data/text/utf8.h"
#include "decode/explain.h"
#include "serve/http/error.h"
#include "serve/routes/generation.h"
#include "serve/routes/output_format.h"
#include "train/report/explain_data.h"
#include "train/tasks/language_model/chat.h"

namespace calque {
namespace {

using nlohmann::json;

constexpr int64_t usual_answer = 512;  // tokens

struct ChatRequest {
  const ServedLanguageModel* model = nullptr;
  ChatPrompt prompt = {};
  std::optional<int64_t> logprobs = {};  // the number of alternatives of each token
  bool stream = false, stream_usage = false;
};

// The text of a message, which is one text or a list of parts.
std::string text_of_content(const json& content, size_t number) {
  if (content.is_string()) return content;
  std::string text;
  if (!content.is_array()) refuse(400, "messages[{}].content: must be a text", number);
  for (const json& part : content) {
    if (!part.is_object() || part.value("type", "") != "text" || !part.contains("text") ||
        !part["text"].is_string()) {
      refuse(400, "messages[{}].content: has a part that is not text; only text is supported",
             number);
    }
    text += part["text"].get<std::string>();
  }
  return text;
}

Message message_of_request(const json& message, size_t number) {
  if (!message.is_object()) refuse(400, "messages[{}]: must be an object", number);
  if (message.contains("tool_calls") && !message["tool_calls"].empty()) {
    refuse(400, "messages[{}].tool_calls: tools are not supported", number);
  }
  std::string role = message.contains("role") && message["role"].is_string()
                         ? message["role"].get<std::string>()
                         : "";
  if (role == "developer") role = "system";
  if (role == "tool" || role == "function") {
    refuse(400, "messages[{}].role: tools are not supported", number);
  }
  const auto* named = std::ranges::find(speakers, role, &Named<Speaker>::name);
  if (named == std::end(speakers)) {
    refuse(400, "messages[{}].role: must be system, user or assistant", number);
  }
  return {named->choice, text_of_content(message.value("content", json()), number)};
}

Conversation conversation_of(const Service& service, const Fields& fields) {
  if (!fields.has("messages")) refuse(400, "messages: is missing");
  const json& messages = fields.values()["messages"];
  if (!messages.is_array()) refuse(400, "messages: must be a list");
  Conversation conversation;
  std::vector<std::string> texts;
  for (size_t i = 0; i < messages.size(); ++i) {
    conversation.push_back(message_of_request(messages[i], i));
    texts.push_back(conversation.back().text);
  }
  service.check_characters(texts);
  return conversation;
}

void refuse_what_is_missing(const Fields& fields) {
  for (const char* name : {"tools", "functions"}) {
    if (fields.has(name) && !fields.values()[name].empty()) {
      refuse(400, "{}: tools are not supported", name);
    }
  }
  for (const char* name : {"audio", "prediction", "web_search_options"}) {
    if (fields.has(name)) refuse(400, "{}: is not supported", name);
  }
}

ChatRequest chat_request_of(const Service& service, const Fields& fields) {
  ChatRequest request{.model = &language_model_for(service, fields)};
  const ServedLanguageModel& model = *request.model;
  if (!model.turns) {
    refuse(400, "the model {} has no turn format; it was not trained on conversations", model.name);
  }
  refuse_what_is_missing(fields);
  const char* length = fields.has("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  GenerationOptions options = generation_options(
      service, fields, model, length, std::min(usual_answer, service.options().new_tokens));
  options.constraint = requested_constraint(fields, model, model.turns->end_texts());
  const Conversation conversation = conversation_of(service, fields);
  try {
    request.prompt = chat_prompt(*model.turns, conversation, options, options.max_tokens);
  } catch (const Error& error) {
    refuse(400, "messages: {}", error.what());
  }
  request.stream = fields.flag_or("stream", false);
  request.stream_usage = wants_usage(fields);
  if (fields.flag_or("logprobs", false)) {
    request.logprobs = fields.whole_or("top_logprobs", 0, 0, 20);
    const int64_t room = options.context - std::ssize(request.prompt.ids);
    if (options.max_tokens > room) {
      refuse(400, "logprobs: {} must be at most {}, the rest of the context", length, room);
    }
  }
  return request;
}

// The bytes of the tokens of an answer are together its text, apart from a space at its beginning.
json token_json(const LanguageModelRun& run, int32_t id, double log_probability) {
  json bytes = json::array();
  const std::string text = run.tokenizer.spelling(id);
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return {{"token", text.empty() ? run.tokenizer.symbol(id) : repaired(text)},
          {"logprob", log_probability},
          {"bytes", bytes}};
}

// The tokens of an answer with their log-probabilities and alternatives at temperature 1.
json answer_logprobs(const ChatRequest& request, const GeneratedText& text) {
  json content = json::array();
  if (!text.ids.empty()) {
    const LanguageModelRun& run = request.model->run;
    const Explanation explained = explain_text(run.model(), request.prompt.ids, text.ids);
    for (size_t i = 0; i < text.ids.size(); ++i) {
      const std::vector<float>& logits = explained.logits[static_cast<size_t>(explained.given) + i];
      const StepSummary step = summarise_step(
          logits, text.ids[i], static_cast<size_t>(std::max<int64_t>(1, *request.logprobs)));
      const auto log_of = [&](int32_t id) {
        return double(logits[static_cast<size_t>(id)]) - step.log_normaliser;
      };
      json token = token_json(run, text.ids[i], log_of(text.ids[i]));
      token["top_logprobs"] = json::array();
      for (const auto& [id, logit] : step.best) {
        if (std::ssize(token["top_logprobs"]) == *request.logprobs) break;
        token["top_logprobs"].push_back(token_json(run, id, log_of(id)));
      }
      content.push_back(std::move(token));
    }
  }
  return {{"content", content}, {"refusal", nullptr}};
}

json usage_of_chat(const ChatRequest& request, const std::vector<GeneratedText>& texts) {
  int64_t tokens = 0;
  for (const GeneratedText& text : texts) tokens += text.tokens;
  return usage_json(std::ssize(request.prompt.ids), tokens);
}

std::vector<GeneratedText> answers_of(const ChatRequest& request, const TextSink& sink) {
  const LanguageModelRun& run = request.model->run;
  return generate_after(run.model(), run.tokenizer, {&request.prompt.ids, 1},
                        request.prompt.options, sink)
      .front();
}

void chat(const ChatRequest& request, const Answer& answer) {
  std::vector<GeneratedText> texts;
  try {
    texts = answers_of(request,
                       [&](size_t, size_t, const std::string&) { throw_if_disconnected(answer); });
  } catch (const Disconnected&) {
    return;
  }
  json result = answer_head("chatcmpl", "chat.completion", *request.model);
  result["choices"] = json::array();
  for (const GeneratedText& text : texts) {
    result["choices"].push_back(
        {{"index", result["choices"].size()},
         {"message", {{"role", "assistant"}, {"content", text.text}, {"refusal", nullptr}}},
         {"logprobs", request.logprobs ? answer_logprobs(request, text) : json()},
         {"finish_reason", finish_name(text.finish)}});
  }
  result["usage"] = usage_of_chat(request, texts);
  answer.json(result);
}

// Sends an event with the role of each answer, one for each part of it, one with its finish reason
// and the log-probabilities of all its tokens, and, if requested, one with the usage. An error is
// sent as an event too.
void chat_as_stream(const ChatRequest& request, const Answer& answer) {
  const json head = answer_head("chatcmpl", "chat.completion.chunk", *request.model);
  const auto send = [&](size_t index, const json& delta, const json& reason,
                        const json& logprobs = nullptr) {
    json event = head;
    event["choices"] = {
        {{"index", index}, {"delta", delta}, {"logprobs", logprobs}, {"finish_reason", reason}}};
    answer.event(event);
  };
  answer.begin_events();
  const auto samples = static_cast<size_t>(request.prompt.options.samples);
  for (size_t i = 0; i < samples; ++i) {
    send(i, {{"role", "assistant"}, {"content", ""}}, nullptr);
  }
  try {
    const auto texts = answers_of(request, [&](size_t, size_t sample, const std::string& text) {
      throw_if_disconnected(answer);
      send(sample, {{"content", text}}, nullptr);
    });
    for (size_t i = 0; i < samples; ++i) {
      send(i, json::object(), finish_name(texts[i].finish),
           request.logprobs ? answer_logprobs(request, texts[i]) : json());
    }
    if (request.stream_usage) {
      json event = head;
      event["choices"] = json::array();
      event["usage"] = usage_of_chat(request, texts);
      answer.event(event);
    }
  } catch (const std::exception& error) {  // the status line has been sent
    answer.event({{"error", {{"message", error.what()}, {"type", "server_error"}}}});
  }
  answer.end_events();
}

}  // namespace

void answer_chat_completions(Service& service, const Fields& fields, const Answer& answer) {
  ChatRequest request = chat_request_of(service, fields);
  const GenerationOptions& options = request.prompt.options;
  QueuedWork work;
  work.lengthy = options.max_tokens > longest_short_text;
  work.cost = options.max_tokens * options.samples;
  work.compute = [request = std::move(request), answer] {
    request.stream ? chat_as_stream(request, answer) : chat(request, answer);
  };
  service.enqueue(std::move(work), answer);
}

}  // namespace calque
