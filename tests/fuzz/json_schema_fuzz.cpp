// JSON schemas: an accepted one can be written, and what is written is JSON. The input is a schema,
// a NUL, and the choices of tokens.

#include <nlohmann/json.hpp>

#include "decode/constraints/json_schema.h"
#include "fuzz/constrained_walk.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  const size_t end = std::min(input.find('\0'), input.size());
  const std::string_view choices = input.substr(end).substr(0, 400);
  const auto grammar = accepted([&] { return json_schema_grammar(input.substr(0, end)); });
  if (!grammar) return 0;
  const auto text = constrained_walk(*grammar, choices);
  if (text) must(nlohmann::json::accept(*text));
  return 0;
}
