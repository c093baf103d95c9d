#pragma once
// The gradients of all parameters in one flat buffer, with the layout of their values. While a Use
// is alive, the backward passes of its thread contribute to this buffer and not to the gradients of
// the parameters, so that several threads can run backward passes through one model.
//
//   FlatGradient gradient(parameters, parameters.flat_size());
//   {
//     const FlatGradient::Use use(gradient);
//     const Tape tape;
//     backward(loss());
//   }
//   Buffer<real> sum = std::move(gradient).numbers();

#include <cstdint>
#include <vector>

#include "core/memory/pool.h"
#include "core/parameters.h"

namespace calque {

class FlatGradient {
 public:
  // `size` may exceed the flat size of the parameters.
  FlatGradient(const Parameters& parameters, int64_t size);

  class Use {
   public:
    explicit Use(FlatGradient& gradient);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    FlatGradient* before_;
  };

  // The buffer, with zeros where nothing contributed and in the gaps.
  Buffer<real> numbers() &&;

 private:
  friend class Gradient;
  // The buffer that this thread uses, if `gradient` is that of one of its parameters.
  static FlatGradient* of(const Gradient& gradient);
  Sink open(int64_t parameter);

  const Parameters& parameters_;
  Buffer<real> numbers_;
  std::vector<bool> touched_;  // of each parameter
};

}  // namespace calque
