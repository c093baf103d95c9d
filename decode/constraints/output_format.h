#pragma once
// What a generated text must be, as commands, requests and Python name it; and the constraints for
// it.

#include <memory>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "decode/constraints/output_constraint.h"

namespace calque {

struct OutputFormat {
  enum class Kind { any, regex, json_object, json_schema };

  Kind kind = Kind::any;
  std::string text = {};  // the expression, or the schema as JSON
  std::string name = {};  // where the format comes from; begins the message of an Error
};

// The constraints of a model's texts. The tree of its vocabulary is made when it is first needed,
// and the last constraints are kept with what they have computed. Thread-safe; copies share both.
class OutputConstraints {
 public:
  explicit OutputConstraints(Tokenizer tokenizer);

  // The constraint of a format, or null if any text is allowed. `closings` are texts that may
  // follow (Grammar::closings). Throws an Error for a format that is not valid, or that the
  // vocabulary cannot spell.
  std::shared_ptr<const OutputConstraint> of(const OutputFormat& format,
                                             const std::vector<std::string>& closings = {}) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace calque
