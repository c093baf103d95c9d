#include "core/flat_gradient.h"

#include <algorithm>
#include <utility>

namespace calque {
namespace {

thread_local FlatGradient* in_use = nullptr;

}  // namespace

FlatGradient::FlatGradient(const Parameters& parameters, int64_t size)
    : parameters_(parameters), numbers_(size), touched_(parameters.entries().size()) {
  require(size >= parameters.flat_size(), "FlatGradient: {} numbers for {} of the parameters", size,
          parameters.flat_size());
}

FlatGradient::Use::Use(FlatGradient& gradient) : before_(std::exchange(in_use, &gradient)) {}
FlatGradient::Use::~Use() { in_use = before_; }

FlatGradient* FlatGradient::of(const Gradient& gradient) {
  const int64_t parameter = gradient.parameter();
  if (!in_use || parameter < 0) return nullptr;
  const auto& entries = in_use->parameters_.entries();
  const bool own = parameter < std::ssize(entries) &&
                   gradient.is(entries[static_cast<size_t>(parameter)].tensor.gradient());
  return own ? in_use : nullptr;
}

Sink FlatGradient::open(int64_t parameter) {
  const auto number = static_cast<size_t>(parameter);
  const bool add = touched_[number];
  touched_[number] = true;
  return {numbers_.data() + parameters_.entries()[number].offset, add};
}

Buffer<real> FlatGradient::numbers() && {
  const auto& entries = parameters_.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const int64_t begin = entries[i].offset + (touched_[i] ? entries[i].shape.elements() : 0);
    const int64_t end = i + 1 < entries.size() ? entries[i + 1].offset : numbers_.size();
    std::fill(numbers_.data() + begin, numbers_.data() + end, real(0));
  }
  return std::move(numbers_);
}

}  // namespace calque
