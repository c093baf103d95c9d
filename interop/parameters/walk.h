#pragma once
// A walk over the parameters of a model under an engine's names. Each format lists its names once,
// in a function that visits the engine's tensors, except some, such as position tables; an export
// lists the visited tensors (ListingWalk), an import fills them
// (interop/parameters/filling_walk.h).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "interop/parameters/kept_tokens.h"
#include "interop/parameters/tensor_list.h"
#include "nn/layers/linear.h"
#include "nn/layers/norm.h"

namespace calque {

// The part of a tensor of calque that an engine's tensor holds, and its layout.
struct Placement {
  std::vector<int64_t> columns = {};  // of calque's tensor, in the engine's order; empty: all
  bool transposed = false;            // the engine stores [out, in]
};

// The columns [begin, end).
std::vector<int64_t> column_range(int64_t begin, int64_t end);

// The vocabulary of a table, which has a row or a number for each token.
enum class Side { source, target };

class ParameterWalk {
 public:
  virtual ~ParameterWalk() = default;

  virtual void tensor(const std::string& name, const Tensor& own, const Placement& placement) = 0;
  // A table [vocabulary, d_model] or [vocabulary]; the engine's is `factor` times calque's.
  virtual void table(const std::string& name, const Tensor& own, Side side, real factor = 1) = 0;

  void tensor(const std::string& name, const Tensor& own) { tensor(name, own, {}); }

  // NAME.weight [out, in] and NAME.bias, of the given output columns or all.
  virtual void linear(const std::string& name, const Linear& linear,
                      std::vector<int64_t> columns = {});
  // NAME.weight and, unless it is an RMSNorm, NAME.bias.
  void norm(const std::string& name, const Norm& norm);
};

// Lists the tensors of the engine, with the rows of tables that it gets: all unless `kept` chooses.
class ListingWalk : public ParameterWalk {
 public:
  ListingWalk() = default;
  explicit ListingWalk(const KeptTokens& kept) : kept_(&kept) {}

  using ParameterWalk::tensor;
  void tensor(const std::string& name, const Tensor& own, const Placement& placement) override;
  void table(const std::string& name, const Tensor& own, Side side, real factor) override;

  TensorList list;

 private:
  const KeptTokens* kept_ = nullptr;
};

}  // namespace calque
