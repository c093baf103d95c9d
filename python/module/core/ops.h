#pragma once
// How Python calls an op. The bindings of the ops themselves are made from core/ops.h by
// python/module/core/generate/.

#include <initializer_list>

#include "module/core/computing.h"
#include "module/core/inputs.h"
#include "module/core/tapes.h"

namespace calque::python {

// Calls f(), an op over these inputs.
template <class Function>
auto op(std::initializer_list<const Tensor*> inputs, Function&& f) {
  int64_t numbers = 0;
  for (const Tensor* x : inputs) numbers += with_values(*x).size();
  begin_op();
  const Computing computing(numbers);
  return f();
}

// Lists of numbers are tensors for Python.
inline Tensor result_of(Tensor x) { return x; }
inline TokenLoss result_of(TokenLoss loss) { return loss; }
inline std::vector<Tensor> result_of(std::vector<Tensor> list) { return list; }
inline Tensor result_of(const std::vector<real>& numbers) {
  return Tensor::of({std::ssize(numbers)}, numbers);
}
inline std::vector<Tensor> result_of(const std::vector<std::vector<real>>& lists) {
  std::vector<Tensor> all;
  for (const auto& numbers : lists) all.push_back(result_of(numbers));
  return all;
}

void bind_tensor(py::module_& module);
void bind_ops(py::module_& module);  // generated

}  // namespace calque::python
