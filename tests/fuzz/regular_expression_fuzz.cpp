// Regular expressions: an accepted one can be written, and what is written matches. The input is an
// expression, a line end, and the choices of tokens.

#include "data/text/utf8.h"
#include "decode/constraints/regular_expression.h"
#include "fuzz/constrained_walk.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  const size_t end = std::min(input.find('\n'), input.size());
  const std::string_view choices = input.substr(end).substr(0, 200);
  const auto pattern = accepted([&] { return regular_expression(input.substr(0, end)); });
  if (!pattern) return 0;
  must(accepted([&] { return regular_search(input.substr(0, end)); }).has_value());
  const auto text = constrained_walk({{*pattern}}, choices);
  if (text) must(!find_invalid_utf8(*text));
  return 0;
}
