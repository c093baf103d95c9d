#include "decode/constraints/output_format.h"

#include "core/error.h"
#include "decode/constraints/json_schema.h"
#include "decode/constraints/json_text.h"
#include "decode/constraints/regular_expression.h"

namespace calque {
namespace {

Grammar grammar_of(const OutputFormat& format) {
  if (format.kind == OutputFormat::Kind::regex) return {{regular_expression(format.text)}};
  if (format.kind == OutputFormat::Kind::json_schema) return json_schema_grammar(format.text);
  return json_object_grammar();
}

}  // namespace

std::shared_ptr<const OutputConstraint> make_output_constraint(const OutputFormat& format,
                                                               const LazyVocabulary& vocabulary,
                                                               std::vector<std::string> closings) {
  if (format.kind == OutputFormat::Kind::any) return nullptr;
  try {
    Grammar grammar = grammar_of(format);
    grammar.closings = std::move(closings);
    return std::make_shared<OutputConstraint>(vocabulary.get(), grammar);
  } catch (const Error& error) {
    fail("{}: {}", format.name, error.what());
  }
}

}  // namespace calque
