#pragma once
// Fills the parameters of a model with the tensors of another engine.

#include <cstdint>
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

class FillingWalk : public ParameterWalk {
 public:
  FillingWalk(ForeignTensors& from, const ForeignVocabularies& vocabularies)
      : from_(from), vocabularies_(vocabularies) {}

  using ParameterWalk::tensor;
  void tensor(const std::string& name, const Tensor& own, const Placement& placement) override;
  // A token without a row gets zeros. Requires the factor 1.
  void table(const std::string& name, const Tensor& own, Side side, real factor) override;

  // Makes tensor() accept a missing bias, which stays zero.
  void allow_missing_biases() { missing_biases_ = true; }

 private:
  ForeignTensors& from_;
  const ForeignVocabularies& vocabularies_;
  bool missing_biases_ = false;
};

// Copies row rows[i] of `from` to row i of `to`, or zeros if rows[i] is no_row.
void copy_rows(const Tensor& from, const VocabularyRows& rows, const Tensor& to);

}  // namespace calque
