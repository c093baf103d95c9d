#include "core/parameters.h"

#include <algorithm>
#include <limits>

#include "core/compact_weights.h"
#include "core/products/compact/matrix.h"
#include "core/simd/vector.h"

namespace calque {

Initial constant(real value) {
  return [value](const Stream&, const Shape&, std::span<real> values) {
    std::fill(values.begin(), values.end(), value);
  };
}

Initial normal(real deviation) {
  return [deviation](const Stream& stream, const Shape&, std::span<real> values) {
    fill_normal(stream, 0, deviation, values);
  };
}

Initial uniform(real limit) {
  return [limit](const Stream& stream, const Shape&, std::span<real> values) {
    fill_uniform(stream, -limit, limit, values);
  };
}

Tensor Parameters::add(std::string name, const Shape& shape, Role role, Initial initial) {
  require(!allocated(), "Parameters: {} is added after allocate()", name);
  require(!find(name), "Parameters: there are two parameters named {}", name);
  const int64_t size = shape.elements();
  require(size < std::numeric_limits<int64_t>::max() - flat_size_ - cache_line,
          "Parameters: {} of shape {} has too many elements", name, shape);
  const auto window = std::make_shared<Storage>();
  window->size = size;
  entries_.push_back(
      {std::move(name), shape, role, flat_size_, std::move(initial),
       Tensor(shape, Values(window), Gradient::of_parameter(size, std::ssize(entries_)))});
  windows_.push_back(window);
  flat_size_ += round_up(size, cache_line);
  return entries_.back().tensor;
}

std::span<real> Parameters::Entry::values() const {
  require(!compact(), "Parameters: {} is compact, and has no values of full precision", name);
  return tensor.span();
}

void Parameters::make_compact() {
  flat_size_ = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    windows_[i]->compact = compact_zeros(entry.role, entry.shape, form_);
    if (windows_[i]->compact) {
      entry.tensor.gradient().refuse();
    } else {
      entry.offset = flat_size_;
      flat_size_ += round_up(entry.shape.elements(), cache_line);
    }
  }
}

void Parameters::allocate(Precision form) {
  require(!allocated(), "Parameters: allocate() is called twice");
  form_ = form;
  if (form != Precision::full) make_compact();
  values_ = std::make_shared<Buffer<real>>(zeros(flat_size_));
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (windows_[i]->compact) continue;
    windows_[i]->data = values_->data() + entries_[i].offset;
    windows_[i]->owner = values_;
  }
}

void Parameters::initialise(uint64_t seed) {
  require(allocated(), "Parameters: initialise() before allocate()");
  for (const Entry& entry : entries_) {
    const Stream stream{.seed = seed ^ hash_text(entry.name)};
    entry.initial(stream, entry.shape, entry.values());
  }
}

void Parameters::freeze(std::string_view name) {
  const Entry* entry = find(name);
  require(entry != nullptr, "Parameters: freeze({}), but there is no such parameter", name);
  entry->tensor.gradient().refuse();
}

void Parameters::freeze_all() {
  for (const Entry& entry : entries_) entry.tensor.gradient().refuse();
}

bool Parameters::all_frozen() const { return std::ranges::all_of(entries_, &Entry::frozen); }

const Parameters::Entry* Parameters::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

int64_t Parameters::count() const {
  int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.shape.elements();
  return sum;
}

std::span<real> Parameters::values() const {
  require(allocated(), "Parameters: values() before allocate()");
  return {values_->data(), static_cast<size_t>(flat_size_)};
}

void Parameters::clear_gradients() {
  for (const Entry& entry : entries_) entry.tensor.gradient().clear();
}

Path Path::operator/(std::string_view part) const {
  return Path(*store_, *trained_,
              name_.empty() ? std::string(part) : fmt::format("{}.{}", name_, part));
}

Tensor Path::parameter(std::string_view name, const Shape& shape, Role role,
                       Initial initial) const {
  const std::string whole = (*this / name).name();
  const Parameters::Entry* const shared = store_->allocated() ? store_->find(whole) : nullptr;
  if (!shared) return store_->add(whole, shape, role, std::move(initial));
  require(shared->shape == shape, "Path: {} has the shape {}, not {}", whole, shared->shape, shape);
  return shared->tensor;
}

}  // namespace calque
