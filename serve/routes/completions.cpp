// OpenAI's interface to language models: /v1/completions.

#include <algorithm>

#include "data/text/utf8.h"
#include "serve/http/error.h"
#include "serve/routes/generation.h"
#include "serve/routes/output_format.h"
#include "serve/service.h"
#include "train/tasks/language_model/generation.h"

namespace calque {
namespace {

using nlohmann::json;

struct CompletionRequest {
  const ServedLanguageModel* model = nullptr;
  std::vector<std::string> prompts = {};
  std::vector<std::vector<int32_t>> read = {};  // the ids of each, with <s>
  GenerationOptions options = {};
  std::optional<int64_t> logprobs = {};  // the number of alternatives of each token
  bool echo = false, stream = false, stream_usage = false;
};
using SharedRequest = std::shared_ptr<const CompletionRequest>;
using Texts = std::vector<std::vector<GeneratedText>>;

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
  if (request.logprobs) options.alternatives = *request.logprobs;
  request.stream_usage = wants_usage(fields);
  for (const std::string& prompt : request.prompts) {
    request.read.push_back(prompt_ids(request.model->run.tokenizer, prompt));
  }
  return request;
}

// The tokens of a text with their log-probabilities and alternatives at temperature 1.
json logprobs_of(const CompletionRequest& request, const std::string& prompt,
                 const GeneratedText& text) {
  const Tokenizer& tokenizer = request.model->run.tokenizer;
  json tokens = json::array(), logs = json::array(), tops = json::array(), offsets = json::array();
  const int64_t begin = request.echo ? count_code_points(prompt) : 0;
  for (const int64_t offset : text_offsets(tokenizer, prompt, text)) {
    offsets.push_back(begin + offset);
  }
  for (size_t i = 0; i < text.ids.size(); ++i) {
    json top = json::object();
    for (const NextToken& token : text.chances[i].best) {
      top[openai_token(tokenizer, token.id)] = double(token.log_probability);
    }
    tokens.push_back(openai_token(tokenizer, text.ids[i]));
    logs.push_back(text.chances[i].log_probability);
    tops.push_back(top);
  }
  return {{"tokens", tokens},
          {"token_logprobs", logs},
          {"top_logprobs", tops},
          {"text_offset", offsets}};
}

json head_of(const CompletionRequest& request) {
  return answer_head("cmpl", "text_completion", *request.model);
}

json usage_of(const CompletionRequest& request, const Texts& texts) {
  int64_t prompt_tokens = 0;
  for (const auto& ids : request.read) prompt_tokens += std::ssize(ids) - 1;
  return usage_json(prompt_tokens, texts);
}

json whole_answer(const CompletionRequest& request, const Texts& texts) {
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
  return result;
}

// Sends an event for each part of a text, one with each text's finish reason and the
// log-probabilities of all its tokens and, if requested, one with the usage. An error is sent as an
// event too.
GenerationRequest streamed(const SharedRequest& request, const Answer& answer) {
  const auto samples = static_cast<size_t>(request->options.samples);
  const auto send = [answer, head = head_of(*request)](size_t index, const std::string& text,
                                                       const json& reason,
                                                       const json& logprobs = nullptr) {
    json event = head;
    event["choices"] = {
        {{"index", index}, {"text", text}, {"logprobs", logprobs}, {"finish_reason", reason}}};
    answer.event(event);
  };
  GenerationRequest generation;
  generation.begun = [=] {
    answer.begin_events();
    for (size_t p = 0; request->echo && p < request->prompts.size(); ++p) {
      for (size_t i = 0; i < samples; ++i) send(p * samples + i, request->prompts[p], nullptr);
    }
  };
  generation.sink = [=](size_t prompt, size_t sample, const std::string& text) {
    send(prompt * samples + sample, text, nullptr);
  };
  generation.done = [=](const Texts& texts) {
    for (size_t p = 0; p < texts.size(); ++p) {
      for (size_t i = 0; i < samples; ++i) {
        const GeneratedText& text = texts[p][i];
        send(p * samples + i, "", finish_name(text.finish),
             request->logprobs ? logprobs_of(*request, request->prompts[p], text) : json());
      }
    }
    if (request->stream_usage) {
      json event = head_of(*request);
      event["choices"] = json::array();
      event["usage"] = usage_of(*request, texts);
      answer.event(event);
    }
    answer.end_events();
  };
  generation.failed = [=](const std::exception_ptr& why) { end_with_error(answer, why); };
  return generation;
}

}  // namespace

void answer_completions(Service& service, const Fields& fields, const Answer& answer) {
  const auto request = std::make_shared<const CompletionRequest>(request_of(service, fields));
  GenerationRequest generation;
  if (request->stream) {
    generation = streamed(request, answer);
  } else {
    generation.done = [=](const Texts& texts) { answer.json(whole_answer(*request, texts)); };
  }
  generation.prompts = request->read;
  generation.options = request->options;
  service.generate(*request->model, std::move(generation), answer);
}

}  // namespace calque
