#pragma once
// All parameters of a model lie in one flat buffer and their gradients in a second; each parameter
// is a named window into both. Clipping is then one reduction, an optimiser step one pass, a
// checkpoint one write. Construction comes first and allocation second, so that a model can be
// counted, or loaded, without being initialised. Order of construction = order in memory = order in
// the checkpoint.
//
//   Parameters parameters;
//   Tensor w = parameters.add("weight", {3, 4}, normal(0.1));
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

class Parameters {
 public:
  struct Entry {
    std::string name;
    Shape shape;
    int64_t offset;  // of its first number in the flat buffers
    Initial initial;
    Tensor tensor;
    std::span<real> values() const { return tensor.span(); }
  };

  // Declares a parameter; the name must be new. The tensor can be used after allocate().
  Tensor add(std::string name, const Shape& shape, Initial initial);

  // Takes memory for values and gradients (all zero). Nothing can be added afterwards.
  void allocate();
  bool allocated() const { return values_ != nullptr; }

  // First values, each parameter's from (seed, its name): adding a layer changes no other.
  void initialise(uint64_t seed);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;
  int64_t count() const;  // of numbers, without the gaps that align the windows

  // The flat buffers, gaps included: the gaps are zero and stay so under every optimiser.
  int64_t flat_size() const { return flat_size_; }
  std::span<real> values() const;
  std::span<real> gradients() const;

  // Before a step: forgets what was contributed, without touching memory.
  void clear_gradients();
  // After backward: gradients to which nothing was contributed become zero in the flat buffer.
  void finish_gradients();

 private:
  struct Memory {
    Buffer<real> values, gradients;
  };
  struct Windows {
    std::shared_ptr<Block> values;
    std::shared_ptr<Gradient::State> gradient;
  };
  std::vector<Entry> entries_;
  std::vector<Windows> windows_;
  int64_t flat_size_ = 0;
  std::shared_ptr<Memory> values_;
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
  Tensor parameter(std::string_view name, const Shape& shape, Initial initial) const;

 private:
  Parameters* store_;
  std::string name_;
};

}  // namespace calque
