#pragma once
// All parameters of a model lie in one flat buffer, each a named window into it: an optimiser step
// is one pass, a checkpoint one write. Construction comes first and allocation second, so that a
// model can be counted, or loaded, without being initialised. Order of construction = order in
// memory = order in the checkpoint.
//
// Their gradients lie apart, each in memory of its own, from the first contribution until they are
// cleared: a backward pass frees what the forward pass kept, and the gradients take its place.
//
//   Parameters parameters;
//   Tensor w = parameters.add("weight", {3, 4}, Role::weight, normal(0.1));
//   parameters.allocate();
//   parameters.initialise(seed);

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace calque {

// Gives a parameter its first values: fills `values` of that shape from the random stream.
using Initial =
    std::function<void(const Stream& stream, const Shape& shape, std::span<real> values)>;
Initial constant(real value);
Initial normal(real deviation);
Initial uniform(real limit);  // in (-limit, limit)

// What a parameter is to the model. Weight decay and the reuse of a model's parameters under
// another vocabulary depend on it.
enum class Role {
  weight,       // of a product
  bias,         // added to a product or a norm
  gain,         // the factors of a norm
  embedding,    // a table with a row for each token of a vocabulary
  position,     // a table with a row for each position
  output,       // the weight of the projection to a vocabulary
  output_bias,  // its bias
};
// Whether the parameter has a row or a number for each token of a vocabulary.
constexpr bool belongs_to_vocabulary(Role role) {
  return role == Role::embedding || role == Role::output || role == Role::output_bias;
}

class Parameters {
 public:
  Parameters() = default;
  Parameters(Parameters&&) = default;
  Parameters& operator=(Parameters&&) = default;
  Parameters(const Parameters&) = delete;  // it would share the values, or lose their place
  Parameters& operator=(const Parameters&) = delete;

  struct Entry {
    std::string name;
    Shape shape;
    Role role;
    int64_t offset;  // of its first number in the flat buffer
    Initial initial;
    Tensor tensor;
    std::span<real> values() const { return tensor.span(); }
  };

  // Declares a parameter; the name must be new. The tensor can be used after allocate().
  Tensor add(std::string name, const Shape& shape, Role role, Initial initial);

  // Takes memory for the values (all zero). Nothing can be added afterwards.
  void allocate();
  bool allocated() const { return values_ != nullptr; }

  // First values, each parameter's from (seed, its name): adding a layer changes no other.
  void initialise(uint64_t seed);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;
  int64_t count() const;  // of numbers, without the gaps that align the windows

  // The flat buffer, gaps included: the gaps are zero and stay so under every optimiser.
  int64_t flat_size() const { return flat_size_; }
  std::span<real> values() const;

  // Before a step: forgets what was contributed and gives its memory back.
  void clear_gradients();

 private:
  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<Block>> windows_;  // each entry's values
  int64_t flat_size_ = 0;
  std::shared_ptr<Buffer<real>> values_;
};

// A place in the tree of modules: the store, and the names walked so far.
//   Path encoder = Path(parameters) / "encoder";
//   encoder / "layers" / 0          -> "encoder.layers.0"
class Path {
 public:
  explicit Path(Parameters& store, std::string name = "")
      : store_(&store), name_(std::move(name)) {}
  Path operator/(std::string_view part) const;
  Path operator/(int64_t number) const { return *this / std::to_string(number); }
  const std::string& name() const { return name_; }
  Tensor parameter(std::string_view name, const Shape& shape, Role role, Initial initial) const;

 private:
  Parameters* store_;
  std::string name_;
};

}  // namespace calque
