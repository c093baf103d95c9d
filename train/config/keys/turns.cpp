// The keys of data.turns, a small map.
#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/small_map.h"

namespace calque {
namespace {

using Turns = TurnOptions;

std::vector<TurnKey> declare_turn_keys() {
  std::vector<TurnKey> table;
  Section in(
      "", [](auto& turns) -> auto& { return turns; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  in.key(
      "format", &Turns::format, turn_formats, fixed,
      "The markers around the turns: those of Qwen and SmolLM2 (chatml), Llama 3 (llama3), Gemma "
      "2 and 3 (gemma), Mixtral (mistral) or Alpaca (alpaca).",
      "transformers: chat_template");
  in.key("system", &Turns::system, {}, fixed,
         "The system text of conversations without one. Default: none; of alpaca its usual "
         "preamble.")
      .idle_if(
          [](const Turns& t) {
            return t.format != TurnFormat::chatml && t.format != TurnFormat::alpaca;
          },
          "needs format: chatml or alpaca");
  in.key("begin", &Turns::begin, {}, fixed,
         "The marker that the symbol <s> of the tokenizer stands for. Default: that of the format "
         "with which a conversation begins.");
  in.key("end", &Turns::end, {}, fixed,
         "The marker that the symbol </s> of the tokenizer stands for, such as <|im_end|>.");
  return table;
}

}  // namespace

const std::vector<TurnKey>& turn_keys() {
  static const std::vector<TurnKey> keys = declare_turn_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, TurnOptions& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  TurnOptions turns;
  read_small_map(from, key, turn_keys(), turns);
  if (!from.entries.empty() && turns.format == TurnFormat::none) {
    fail("{}: {}: needs format, such as chatml", from.place.text(), key);
  }
  to = turns;
}

std::string write_value(const TurnOptions& turns) {
  return turns == TurnOptions() ? "{}" : write_small_map(turn_keys(), turns);
}

std::string allowed_values(const Range&, const TurnOptions&) {
  return "a map such as {format: chatml}";
}

}  // namespace calque
