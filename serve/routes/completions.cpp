// OpenAI's interface to language models: /v1/completions.

#include <algorithm>

#include "core/error.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary.h"
#include "decode/explain.h"
#include "serve/http/error.h"
#include "serve/routes/generation.h"
#include "serve/routes/output_format.h"
#include "serve/service.h"
#include "train/report/explain_data.h"
#include "train/tasks/language_model/generation.h"

namespace calque {
namespace {

using nlohmann::json;

struct CompletionRequest {
  const ServedLanguageModel* model = nullptr;
  std::vector<std::string> prompts = {};
  GenerationOptions options = {};
  std::optional<int64_t> logprobs = {};  // the number of alternatives of each token
  bool echo = false, stream = false, stream_usage = false;
};

// Returns the tokens of a prompt that the model reads: all of them, or the last `context` / 2 if no
// room is left for another token. `prompt` begins with <s>.
std::vector<int32_t> visible_tokens(std::vector<int32_t> prompt, const GenerationOptions& options) {
  if (std::ssize(prompt) < options.context) return prompt;
  return {prompt.end() - std::max<int64_t>(1, options.context / 2), prompt.end()};
}

// Throws an HttpError if a text may outgrow the context: generation then shortens the text that the
// model reads, which logprobs_of() cannot reproduce.
void check_logprobs(const CompletionRequest& request) {
  for (const std::string& prompt : request.prompts) {
    std::vector<int32_t> read = {begin_id};
    request.model->run.tokenizer.encode_document(prompt, read);
    const int64_t room =
        request.options.context - std::ssize(visible_tokens(std::move(read), request.options));
    if (request.options.max_tokens > room) {
      refuse(400, "logprobs: max_tokens must be at most {}, the rest of the context", room);
    }
  }
}

CompletionRequest request_of(const Service& service, const Fields& fields) {
  const ServiceOptions& limits = service.options();
  CompletionRequest request{.model = &language_model_for(service, fields)};
  request.prompts = fields.has("prompt") ? fields.texts("prompt") : std::vector<std::string>{""};
  if (request.prompts.empty()) refuse(400, "prompt: is an empty list");
  service.check_characters(request.prompts);
  GenerationOptions& options = request.options;
  options = generation_options(service, fields, *request.model, "max_tokens", 16);
  options.constraint = requested_constraint(fields, *request.model);
  if (options.samples * std::ssize(request.prompts) > limits.samples) {
    refuse(400, "{} texts; a request may have at most {}",
           options.samples * std::ssize(request.prompts), limits.samples);
  }
  if (fields.has("logprobs")) request.logprobs = fields.whole_or("logprobs", 0, 0, 20);
  request.echo = fields.flag_or("echo", false);
  request.stream = fields.flag_or("stream", false);
  if (fields.has("suffix")) refuse(400, "suffix: is not supported");
  fields.whole_or("best_of", options.samples, options.samples, options.samples);
  if (request.stream && request.logprobs) refuse(400, "logprobs: cannot be streamed");
  if (request.logprobs) check_logprobs(request);
  return request;
}

// Returns the tokens of a text with their log-probabilities and alternatives at temperature 1.
json logprobs_of(const CompletionRequest& request, const std::string& prompt,
                 const GeneratedText& text) {
  const LanguageModelRun& run = request.model->run;
  std::vector<int32_t> read = {begin_id};
  run.tokenizer.encode_document(prompt, read);
  json tokens = json::array(), logs = json::array(), tops = json::array(), offsets = json::array();
  if (text.ids.empty()) read.clear();
  read = visible_tokens(std::move(read), request.options);
  if (!text.ids.empty()) {
    const Explanation explained = explain_text(run.model(), read, text.ids);
    const int64_t begin = request.echo ? count_code_points(prompt) : 0;
    for (const int64_t offset : text_offsets(run.tokenizer, prompt, text)) {
      offsets.push_back(begin + offset);
    }
    for (size_t i = 0; i < text.ids.size(); ++i) {
      const size_t row = static_cast<size_t>(explained.given) + i;
      const std::vector<float>& logits = explained.logits[row];
      const StepSummary step = summarise_step(
          logits, text.ids[i], static_cast<size_t>(std::max<int64_t>(1, *request.logprobs)));
      const auto log_of = [&](int32_t id) {
        return double(logits[static_cast<size_t>(id)]) - step.log_normaliser;
      };
      json top = json::object();
      for (const auto& [token, logit] : step.best) {
        if (std::ssize(top) < *request.logprobs) {
          top[run.tokenizer.symbol(token)] = log_of(token);
        }
      }
      tokens.push_back(run.tokenizer.symbol(text.ids[i]));
      logs.push_back(log_of(text.ids[i]));
      tops.push_back(top);
    }
  }
  return {{"tokens", tokens},
          {"token_logprobs", logs},
          {"top_logprobs", tops},
          {"text_offset", offsets}};
}

json head_of(const CompletionRequest& request) {
  return answer_head("cmpl", "text_completion", *request.model);
}

json usage_of(const CompletionRequest& request,
              const std::vector<std::vector<GeneratedText>>& texts) {
  int64_t prompt_tokens = 0, tokens = 0;
  for (const std::string& prompt : request.prompts) {
    prompt_tokens += std::ssize(request.model->run.tokenizer.encode_document(prompt));
  }
  for (const auto& samples : texts) {
    for (const GeneratedText& text : samples) tokens += text.tokens;
  }
  return usage_json(prompt_tokens, tokens);
}

void complete(const CompletionRequest& request, const Answer& answer) {
  const LanguageModelRun& run = request.model->run;
  std::vector<std::vector<GeneratedText>> texts;
  try {
    texts =
        generate_texts(run.model(), run.tokenizer, request.prompts, request.options,
                       [&](size_t, size_t, const std::string&) { throw_if_disconnected(answer); });
  } catch (const Disconnected&) {
    return;
  }
  json result = head_of(request), choices = json::array();
  for (size_t p = 0; p < texts.size(); ++p) {
    for (const GeneratedText& text : texts[p]) {
      const std::string shown = (request.echo ? request.prompts[p] : "") + text.text;
      choices.push_back(
          {{"index", choices.size()},
           {"text", shown},
           {"logprobs", request.logprobs ? logprobs_of(request, request.prompts[p], text) : json()},
           {"finish_reason", finish_name(text.finish)}});
    }
  }
  result["choices"] = choices;
  result["usage"] = usage_of(request, texts);
  answer.json(result);
}

// Sends an event for each part of a text, one with each text's finish reason and, if requested, one
// with the usage. An error is sent as an event too.
void complete_as_stream(const CompletionRequest& request, const Answer& answer) {
  const LanguageModelRun& run = request.model->run;
  const json head = head_of(request);
  const auto send = [&](size_t index, const std::string& text, const json& reason) {
    json event = head;
    event["choices"] = {
        {{"index", index}, {"text", text}, {"logprobs", nullptr}, {"finish_reason", reason}}};
    answer.event(event);
  };
  const auto samples = static_cast<size_t>(request.options.samples);
  answer.begin_events();
  for (size_t p = 0; request.echo && p < request.prompts.size(); ++p) {
    for (size_t i = 0; i < samples; ++i) send(p * samples + i, request.prompts[p], nullptr);
  }
  try {
    const auto texts = generate_texts(run.model(), run.tokenizer, request.prompts, request.options,
                                      [&](size_t prompt, size_t sample, const std::string& text) {
                                        throw_if_disconnected(answer);
                                        send(prompt * samples + sample, text, nullptr);
                                      });
    for (size_t p = 0; p < texts.size(); ++p) {
      for (size_t i = 0; i < samples; ++i) {
        send(p * samples + i, "", finish_name(texts[p][i].finish));
      }
    }
    if (request.stream_usage) {
      json event = head;
      event["choices"] = json::array();
      event["usage"] = usage_of(request, texts);
      answer.event(event);
    }
  } catch (const std::exception& error) {  // the status line has been sent
    answer.event({{"error", {{"message", error.what()}, {"type", "server_error"}}}});
  }
  answer.end_events();
}

}  // namespace

void answer_completions(Service& service, const Fields& fields, const Answer& answer) {
  CompletionRequest request = request_of(service, fields);
  request.stream_usage = wants_usage(fields);
  QueuedWork work;
  work.lengthy = request.options.max_tokens > longest_short_text;
  work.cost = request.options.max_tokens * request.options.samples * std::ssize(request.prompts);
  work.compute = [request = std::move(request), answer] {
    request.stream ? complete_as_stream(request, answer) : complete(request, answer);
  };
  service.enqueue(std::move(work), answer);
}

}  // namespace calque
