// Every op against finite differences (double build) and against itself with other thread counts.
#include <doctest/doctest.h>

#include <cstring>

#include "support/op_suite.h"
#include "support/sanitized.h"
#include "support/threads.h"

using namespace calque;

#ifdef CALQUE_DOUBLE
TEST_CASE("every op's gradients agree with finite differences to 1e-6") {
  for (const OpCase& op : op_suite()) {
    CAPTURE(op.name);
    CHECK(gradient_error(op.function, op.inputs) <= 1e-6);
  }
}
#endif

namespace {

bool same_bits(std::span<const real> a, std::span<const real> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

[[maybe_unused]] bool same_bits(const Outcome& a, const Outcome& b) {
  bool same = same_bits(a.value.span(), b.value.span());
  for (size_t i = 0; i < a.gradients.size(); ++i) {
    same = same && same_bits(a.gradients[i].span(), b.gradients[i].span());
  }
  return same;
}

}  // namespace

TEST_CASE("every op gives its other inputs the same gradients when one input needs none") {
  for (const OpCase& op : op_suite()) {
    CAPTURE(op.name);
    const Outcome whole = value_and_gradients(op.function, op.inputs);
    for (size_t fixed = 0; fixed < op.inputs.size(); ++fixed) {
      const Function function = [&](const std::vector<Tensor>& inputs) {
        std::vector<Tensor> all = inputs;
        all[fixed] = all[fixed].detached();
        return op.function(all);
      };
      // An op of one input is not recorded at all.
      if (op.inputs.size() == 1) continue;
      const Outcome part = value_and_gradients(function, op.inputs);
      CHECK(same_bits(part.value.span(), whole.value.span()));
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (i != fixed) CHECK(same_bits(part.gradients[i].span(), whole.gradients[i].span()));
      }
    }
  }
}

#ifndef CALQUE_DOUBLE  // which is for gradients alone
TEST_CASE("every op gives the same bits with 1, 2, 3 and 4 threads") {
  const Threads as_before;
  std::vector<OpCase> ops = op_suite();
  for (OpCase& op : large_op_suite()) ops.push_back(std::move(op));
  for (const OpCase& op : ops) {
    CAPTURE(op.name);
    set_threads(1);
    const Outcome alone = value_and_gradients(op.function, op.inputs);
    for (const int count : sanitized ? std::vector{3} : std::vector{2, 3, 4}) {
      set_threads(count);
      CHECK(same_bits(alone, value_and_gradients(op.function, op.inputs)));
    }
  }
}
#endif
