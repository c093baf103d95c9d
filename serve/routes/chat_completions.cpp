// OpenAI's interface to conversations: /v1/chat/completions.
#include <algorithm>

#include "core/error.h"
#include "data/text/utf8.h"
#include "serve/http/error.h"
#include "serve/routes/generation.h"
#include "serve/routes/output_format.h"
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
using SharedChat = std::shared_ptr<const ChatRequest>;
using Texts = std::vector<std::vector<GeneratedText>>;

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
    request.prompt.options.alternatives = *request.logprobs;
  }
  return request;
}

// The bytes of the tokens of an answer are together its text, apart from a space at its beginning.
json token_json(const LanguageModelRun& run, int32_t id, double log_probability) {
  json bytes = json::array();
  const std::string text = run.tokenizer.spelling(id);
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return {
      {"token", openai_token(run.tokenizer, id)}, {"logprob", log_probability}, {"bytes", bytes}};
}

// The tokens of an answer with their log-probabilities and alternatives at temperature 1.
json answer_logprobs(const LanguageModelRun& run, const GeneratedText& text) {
  json content = json::array();
  for (size_t i = 0; i < text.ids.size(); ++i) {
    json token = token_json(run, text.ids[i], text.chances[i].log_probability);
    token["top_logprobs"] = json::array();
    for (const NextToken& each : text.chances[i].best) {
      token["top_logprobs"].push_back(token_json(run, each.id, double(each.log_probability)));
    }
    content.push_back(std::move(token));
  }
  return {{"content", content}, {"refusal", nullptr}};
}

json usage_of_chat(const ChatRequest& request, const Texts& texts) {
  return usage_json(std::ssize(request.prompt.ids), texts);
}

json whole_chat(const ChatRequest& request, const Texts& texts) {
  json result = answer_head("chatcmpl", "chat.completion", *request.model);
  result["choices"] = json::array();
  for (const GeneratedText& text : texts.front()) {
    result["choices"].push_back(
        {{"index", result["choices"].size()},
         {"message", {{"role", "assistant"}, {"content", text.text}, {"refusal", nullptr}}},
         {"logprobs", request.logprobs ? answer_logprobs(request.model->run, text) : json()},
         {"finish_reason", finish_name(text.finish)}});
  }
  result["usage"] = usage_of_chat(request, texts);
  return result;
}

// Sends an event with the role of each answer, one for each part of it, one with its finish reason
// and the log-probabilities of all its tokens, and, if requested, one with the usage. An error is
// sent as an event too.
GenerationRequest streamed_chat(const SharedChat& request, const Answer& answer) {
  const auto samples = static_cast<size_t>(request->prompt.options.samples);
  const json head = answer_head("chatcmpl", "chat.completion.chunk", *request->model);
  const auto send = [=](size_t index, const json& delta, const json& reason,
                        const json& logprobs = nullptr) {
    json event = head;
    event["choices"] = {
        {{"index", index}, {"delta", delta}, {"logprobs", logprobs}, {"finish_reason", reason}}};
    answer.event(event);
  };
  GenerationRequest generation;
  generation.begun = [=] {
    answer.begin_events();
    for (size_t i = 0; i < samples; ++i) {
      send(i, {{"role", "assistant"}, {"content", ""}}, nullptr);
    }
  };
  generation.sink = [=](size_t, size_t sample, const std::string& text) {
    send(sample, {{"content", text}}, nullptr);
  };
  generation.done = [=](const Texts& texts) {
    for (size_t i = 0; i < samples; ++i) {
      const GeneratedText& text = texts.front()[i];
      send(i, json::object(), finish_name(text.finish),
           request->logprobs ? answer_logprobs(request->model->run, text) : json());
    }
    if (request->stream_usage) {
      json event = head;
      event["choices"] = json::array();
      event["usage"] = usage_of_chat(*request, texts);
      answer.event(event);
    }
    answer.end_events();
  };
  generation.failed = [=](const std::exception_ptr& why) { end_with_error(answer, why); };
  return generation;
}

}  // namespace

void answer_chat_completions(Service& service, const Fields& fields, const Answer& answer) {
  const auto request = std::make_shared<const ChatRequest>(chat_request_of(service, fields));
  GenerationRequest generation;
  if (request->stream) {
    generation = streamed_chat(request, answer);
  } else {
    generation.done = [=](const Texts& texts) { answer.json(whole_chat(*request, texts)); };
  }
  generation.prompts = {request->prompt.ids};
  generation.options = request->prompt.options;
  service.generate(*request->model, std::move(generation), answer);
}

}  // namespace calque
