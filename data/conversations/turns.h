#pragma once
// How a conversation becomes the text that a chat model reads. Each format puts markers around the
// turns, which are control tokens in the vocabularies of the models that use it:
//
//   chatml   <|im_start|>user\nTEXT<|im_end|>\n<|im_start|>assistant\nANSWER<|im_end|>\n
//   llama3   BEGIN<|start_header_id|>user<|end_header_id|>\n\nTEXT<|eot_id|>...
//   gemma BEGIN<start_of_turn>user\nTEXT<end_of_turn>\n<start_of_turn>model\nANSWER<end_of_turn>\n
//   mistral  BEGIN[INST] TEXT [/INST]ANSWER</s>
//   alpaca   BEGIN PREAMBLE\n\n### Instruction:\nTEXT\n\n### Response:\nANSWER</s>
//
// The texts equal those of apply_chat_template() in transformers, with the published templates of
// Qwen and SmolLM2, Llama 3, Gemma 2 and 3, and Mixtral (tests/interop/engines/check_turns.py).

#include <string>
#include <string_view>
#include <vector>

#include "core/named.h"

namespace calque {

enum class TurnFormat { none, chatml, llama3, gemma, mistral, alpaca };
inline constexpr Named<TurnFormat> turn_formats[] = {
    {"none", TurnFormat::none},   {"chatml", TurnFormat::chatml},   {"llama3", TurnFormat::llama3},
    {"gemma", TurnFormat::gemma}, {"mistral", TurnFormat::mistral}, {"alpaca", TurnFormat::alpaca}};

enum class Speaker { system, user, assistant };
inline constexpr Named<Speaker> speakers[] = {
    {"system", Speaker::system}, {"user", Speaker::user}, {"assistant", Speaker::assistant}};

struct Message {
  Speaker speaker = Speaker::user;
  std::string text;
  bool operator==(const Message&) const = default;
};
using Conversation = std::vector<Message>;

struct TurnOptions {
  TurnFormat format = TurnFormat::none;
  std::string system = {};  // of chatml and alpaca: the system text of conversations without one
  // The markers that <s> and </s> of the tokenizer stand for; empty: those of the format.
  std::string begin = {}, end = {};

  bool operator==(const TurnOptions&) const = default;
};

// A part of the text of a conversation.
struct TurnPiece {
  enum class Kind { text, marker, begin, end };
  Kind kind = Kind::text;
  std::string text;     // of begin and end: how the model spells <s> and </s>
  bool answer = false;  // what the assistant writes, with the marker that ends it
};

// The pieces of a conversation. Without `open` it must end with an answer; with it, with a user's
// text, and the pieces end where the assistant begins to write. Throws an Error for a conversation
// that the format cannot hold: after perhaps a system text, user and assistant take turns. With
// TurnFormat::none there are no markers but <s> and </s>, and the conversation is a prompt and its
// completion.
std::vector<TurnPiece> turn_pieces(const TurnOptions& options, const Conversation& conversation,
                                   bool open);

std::string text_of(const std::vector<TurnPiece>& pieces);

// The piece that ends an answer.
TurnPiece end_of_answer(const TurnOptions& options);

// The system text of conversations without one; empty if the format then has none.
std::string usual_system(const TurnOptions& options);

// The format of a chat template, the Jinja program of a model of transformers or in a GGUF file, by
// the program's text; TurnFormat::none if calque does not know it. `begin` and `end` are the texts
// of the tokens that become <s> and </s>; empty: the model has none.
TurnOptions turns_of_template(std::string_view program, std::string begin = "",
                              std::string end = "");

// A chat template for a format other than none. Its bos_token and eos_token are the texts of <s>
// and </s>. turns_of_template() knows it.
std::string template_of_turns(const TurnOptions& options);

}  // namespace calque
