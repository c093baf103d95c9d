#pragma once
// The types of language models of transformers, and how each reads and writes its settings: the
// older ones in gpt.cpp, Llama and its relatives in llama.cpp.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "interop/files/json.h"
#include "interop/model.h"

namespace calque {

struct LanguageModelType {
  std::string_view name;  // the model_type
  LanguageModelShape shape;
  std::string_view architecture;  // the class
  void (*read)(const ForeignJson& from, Config& to);
  void (*describe)(const LanguageModel& model, nlohmann::ordered_json& to);
  std::string prefix;             // of all tensors but the output's
  std::string embedding, output;  // the tables
  bool tied;                      // the default of tie_word_embeddings
};

void read_gpt2(const ForeignJson& from, Config& to);
void describe_gpt2(const LanguageModel& model, nlohmann::ordered_json& to);
void read_gpt_neox(const ForeignJson& from, Config& to);
void describe_gpt_neox(const LanguageModel& model, nlohmann::ordered_json& to);

// Of Llama and Mistral, and of the others.
void read_llama(const ForeignJson& from, Config& to);
void describe_llama(const LanguageModel& model, nlohmann::ordered_json& to);
void read_mistral(const ForeignJson& from, Config& to);
void describe_mistral(const LanguageModel& model, nlohmann::ordered_json& to);
void read_qwen2(const ForeignJson& from, Config& to);
void describe_qwen2(const LanguageModel& model, nlohmann::ordered_json& to);
void read_qwen3(const ForeignJson& from, Config& to);
void describe_qwen3(const LanguageModel& model, nlohmann::ordered_json& to);
void read_gemma3(const ForeignJson& from, Config& to);
void describe_gemma3(const LanguageModel& model, nlohmann::ordered_json& to);

}  // namespace calque
