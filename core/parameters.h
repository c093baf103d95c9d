#pragma once
// The parameters of a model are named windows into one flat buffer: an optimiser step is one pass,
// a checkpoint one write. Allocation is separate from construction, so that parameters can be
// counted, or loaded, without initialisation. Memory and checkpoints have the order of
// construction.
//
// Each gradient has memory of its own, from the first contribution until it is cleared. The
// backward pass frees the activations at the same time, so gradients reuse the memory of
// activations.
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

#include "core/precision.h"
#include "core/random.h"
#include "core/tensor.h"

namespace calque {

// Fills the values of a parameter of the given shape from the random stream.
using Initial =
    std::function<void(const Stream& stream, const Shape& shape, std::span<real> values)>;
Initial constant(real value);
Initial normal(real deviation);
Initial uniform(real limit);  // in [-limit, limit]

// The purpose of a parameter. It determines whether the parameter decays, and whether it can be
// reused with another vocabulary.
enum class Role {
  weight,       // of a product
  bias,         // added to a product or a norm
  gain,         // the factors of a norm
  embedding,    // a table of embeddings, with a row for each token of a vocabulary
  position,     // another table of embeddings: of positions, of segment kinds, the image token
  output,       // the weight of the projection to a vocabulary
  output_bias,  // its bias
};
// Whether parameters of this role have a row or a number for each token of a vocabulary, so that
// they are of no use with another tokenizer.
constexpr bool belongs_to_vocabulary(Role role) {
  return role == Role::embedding || role == Role::output || role == Role::output_bias;
}

class Parameters {
 public:
  Parameters() = default;
  Parameters(Parameters&&) = default;
  Parameters& operator=(Parameters&&) = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  struct Entry {
    std::string name;
    Shape shape;
    Role role;
    int64_t offset;  // of its first number in the flat buffer, unless it is compact
    Initial initial;
    Tensor tensor;
    std::span<real> values() const;  // not of a compact parameter
    CompactMatrix* compact() const { return tensor.values().compact(); }
    bool frozen() const { return !tensor.gradient(); }
  };

  // Declares a parameter with a new name. Its values exist after allocate().
  Tensor add(std::string name, const Shape& shape, Role role, Initial initial);

  // Allocates the values, all zero. Nothing can be added afterwards. With a `form` below full
  // precision, weights, tables of embeddings and output projections are compact: they are not in
  // the flat buffer and cannot be trained (core/products/compact/matrix.h).
  void allocate(Precision form = Precision::full);
  bool allocated() const { return values_ != nullptr; }
  // The form of those.
  Precision form() const { return form_; }

  // Sets initial values. They depend only on the seed and the name of the parameter.
  void initialise(uint64_t seed);

  // After this call, ops compute no gradient of the parameter, and optimisers do not change it.
  // Call it before an optimiser is constructed.
  void freeze(std::string_view name);
  void freeze_all();
  bool all_frozen() const;

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;
  int64_t count() const;  // the number of elements, without gaps

  // The flat buffer, including the gaps that align the windows; optimisers keep the gaps zero.
  int64_t flat_size() const { return flat_size_; }
  std::span<real> values() const;

  // Call it before each step.
  void clear_gradients();

 private:
  void make_compact();

  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<Storage>> windows_;  // each entry's values
  int64_t flat_size_ = 0;
  Precision form_ = Precision::full;
  std::shared_ptr<Buffer<real>> values_;
};

// A position in the tree of modules: Path(parameters) / "layers" / 0 is "layers.0". Modules at a
// path of parameters that are allocated share those of their names and shapes, as a second model in
// the same memory does.
class Path {
 public:
  explicit Path(Parameters& store, std::string name = "") : Path(store, store, std::move(name)) {}
  // For a model whose weights are frozen: modules that are trained nevertheless, such as adapters,
  // register their parameters at trained(), which is in the second store.
  Path(Parameters& store, Parameters& trained, std::string name = "")
      : store_(&store), trained_(&trained), name_(std::move(name)) {}
  Path trained() const { return Path(*trained_, *trained_, name_); }
  Path operator/(std::string_view part) const;
  Path operator/(int64_t number) const { return *this / std::to_string(number); }
  const std::string& name() const { return name_; }
  Tensor parameter(std::string_view name, const Shape& shape, Role role, Initial initial) const;

 private:
  Parameters* store_;
  Parameters* trained_;
  std::string name_;
};

}  // namespace calque
