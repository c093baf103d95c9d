#pragma once
// What the routes of OpenAI's interface share: the model, the settings of a text, and the head of
// an answer.

#include <stdexcept>
#include <string>

#include "serve/service.h"
#include "train/tasks/language_model/generation.h"

namespace calque {

// The model that the field `model` names, or the first one.
const ServedLanguageModel& language_model_for(const Service& service, const Fields& fields);

// The settings of the fields n, temperature, top_p, top_k, min_p, seed, stop and of the length
// field `length`. Refuses the fields of both routes that calque does not have.
GenerationOptions generation_options(const Service& service, const Fields& fields,
                                     const ServedLanguageModel& model, std::string_view length,
                                     int64_t usual_length);

const char* finish_name(FinishReason reason);

// The fields that every answer begins with. `prefix` begins the id.
nlohmann::json answer_head(std::string_view prefix, std::string_view object,
                           const ServedLanguageModel& model);
nlohmann::json usage_json(int64_t prompt_tokens, int64_t tokens);
// Whether the field stream_options asks for the usage at the end of a stream.
bool wants_usage(const Fields& fields);

struct Disconnected : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void throw_if_disconnected(const Answer& answer);

// Longer texts wait in the queue for lengthy work; each token needs a step of its own.
inline constexpr int64_t longest_short_text = 32;

}  // namespace calque
