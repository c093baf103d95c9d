#pragma once
// Fills the parameters of a model with the tensors of another engine.

#include <cstdint>
#include <functional>
#include <vector>

#include "interop/parameters/tensors.h"
#include "interop/parameters/walk.h"

namespace calque {

// For each token of calque, its row in the engine's tables, or no_row.
using VocabularyRows = std::vector<int64_t>;
inline constexpr int64_t no_row = -1;

struct ForeignVocabularies {
  VocabularyRows source, target;
  int64_t source_size = 0, target_size = 0;  // rows of the engine's tables
};

enum class Biases { required, optional };  // a missing bias stays zero

class FillingWalk : public ParameterWalk {
 public:
  FillingWalk(ForeignTensors& from, const ForeignVocabularies& vocabularies, Biases biases)
      : from_(from), vocabularies_(vocabularies), biases_(biases) {}

  using ParameterWalk::tensor;
  void tensor(const std::string& name, const Tensor& own, const Placement& placement) override;
  // A token without a row gets zeros. Requires the factor 1.
  void table(const std::string& name, const Tensor& own, Side side, real factor) override;

 private:
  ForeignTensors& from_;
  const ForeignVocabularies& vocabularies_;
  Biases biases_;
};

// Copies row rows[i] of `from` to row i of `to`, or zeros if rows[i] is no_row.
void copy_rows(const Tensor& from, const VocabularyRows& rows, const Tensor& to);

// The output bias of a token that the other engine lacks: it makes the probability 0.
inline constexpr real absent_logit = -10'000;
// The output bias in calque's order: the tensor `name`, if there is one, with absent_logit for the
// tokens `absent`.
Tensor output_bias(ForeignTensors& tensors, const std::string& name, const Shape& shape,
                   const VocabularyRows& rows, const std::vector<int32_t>& absent);

// Returns a function that fills a model: by the walk over the engine's names, and then by `rest`.
// It throws an Error if a tensor is left over.
template <class Model>
std::function<void(const Model&)> filling(void (*walk)(ParameterWalk&, const Model&),
                                          const ForeignTensors& tensors,
                                          const ForeignVocabularies& vocabularies,
                                          std::function<void(const Model&)> rest = {},
                                          Biases biases = Biases::required) {
  return [=](const Model& own) {
    ForeignTensors left = tensors;
    FillingWalk fill(left, vocabularies, biases);
    walk(fill, own);
    if (rest) rest(own);
    left.finish();
  };
}

}  // namespace calque
