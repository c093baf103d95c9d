#pragma once
// What a generated text must be, as commands, requests and Python name it.

#include <memory>
#include <string>
#include <vector>

#include "decode/constraints/output_constraint.h"

namespace calque {

struct OutputFormat {
  enum class Kind { any, regex, json_object, json_schema };

  Kind kind = Kind::any;
  std::string text = {};  // the expression, or the schema as JSON
  std::string name = {};  // where the format comes from; begins the message of an Error
};

// The constraint of a format, or null if any text is allowed. `closings` are texts that may follow
// (Grammar::closings). Throws an Error for a format that is not valid, or that the vocabulary
// cannot spell.
std::shared_ptr<const OutputConstraint> make_output_constraint(
    const OutputFormat& format, const LazyVocabulary& vocabulary,
    std::vector<std::string> closings = {});

}  // namespace calque
