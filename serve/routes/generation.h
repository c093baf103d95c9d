#pragma once
// What the routes of OpenAI's interface share: the model, the settings of a text, and the head of
// an answer.

#include <exception>
#include <string>
#include <vector>

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

// A token as OpenAI writes it: its text, bytes:\xF2 if it is part of a character, or the name of a
// special token.
std::string openai_token(const Tokenizer& tokenizer, int32_t id);

// The fields that every answer begins with. `prefix` begins the id.
nlohmann::json answer_head(std::string_view prefix, std::string_view object,
                           const ServedLanguageModel& model);
nlohmann::json usage_json(int64_t prompt_tokens,
                          const std::vector<std::vector<GeneratedText>>& texts);
// Whether the field stream_options asks for the usage at the end of a stream.
bool wants_usage(const Fields& fields);

// Ends a stream of events with an error.
void end_with_error(const Answer& answer, const std::exception_ptr& why);

}  // namespace calque
