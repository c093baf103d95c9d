#include "decode/constraints/output_format.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "core/error.h"
#include "decode/constraints/json_schema.h"
#include "decode/constraints/json_text.h"
#include "decode/constraints/regular_expression.h"

namespace calque {
namespace {

constexpr size_t most_kept = 4;  // constraints

Grammar grammar_of(const OutputFormat& format) {
  if (format.kind == OutputFormat::Kind::regex) return {{regular_expression(format.text)}};
  if (format.kind == OutputFormat::Kind::json_schema) return json_schema_grammar(format.text);
  return json_object_grammar();
}

}  // namespace

struct OutputConstraints::Shared {
  struct Kept {
    OutputFormat::Kind kind;
    std::string text;
    std::vector<std::string> closings;
    std::shared_ptr<const OutputConstraint> constraint;
  };

  explicit Shared(Tokenizer own) : tokenizer(std::move(own)) {}

  const Tokenizer tokenizer;
  std::mutex mutex;
  std::shared_ptr<const SpelledVocabulary> vocabulary;
  std::deque<Kept> kept;  // the last one used first
};

OutputConstraints::OutputConstraints(Tokenizer tokenizer)
    : shared_(std::make_shared<Shared>(std::move(tokenizer))) {}

std::shared_ptr<const OutputConstraint> OutputConstraints::of(
    const OutputFormat& format, const std::vector<std::string>& closings) const {
  if (format.kind == OutputFormat::Kind::any) return nullptr;
  const std::lock_guard lock(shared_->mutex);
  auto& kept = shared_->kept;
  const auto found = std::ranges::find_if(kept, [&](const Shared::Kept& each) {
    return each.kind == format.kind && each.text == format.text && each.closings == closings;
  });
  if (found != kept.end()) {
    std::rotate(kept.begin(), found, found + 1);
    return kept.front().constraint;
  }
  try {
    Grammar grammar = grammar_of(format);
    grammar.closings = closings;
    auto& vocabulary = shared_->vocabulary;
    if (!vocabulary) vocabulary = std::make_shared<const SpelledVocabulary>(shared_->tokenizer);
    kept.push_front({format.kind, format.text, closings,
                     std::make_shared<const OutputConstraint>(vocabulary, grammar)});
  } catch (const Error& error) {
    fail("{}: {}", format.name, error.what());
  }
  if (kept.size() > most_kept) kept.pop_back();
  return kept.front().constraint;
}

}  // namespace calque
