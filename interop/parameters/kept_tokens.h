#pragma once
// The tokens of a language model that another engine gets. An imported model may lack <unk>, or
// have one row for <s> and </s>; a bias of the output then keeps calque from predicting the symbol.
// Other engines have no such bias, and get the model without the symbol.

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "nn/models/language_model.h"

namespace calque {

class KeptTokens {
 public:
  // Throws an Error if the bias of the output does more than exclude symbols, or the model would
  // read </s> in the place of another <s>.
  explicit KeptTokens(const LanguageModel& model);

  // The ids of calque that are kept, in the engine's order.
  const std::vector<int32_t>& ids() const { return ids_; }
  bool has(int32_t id) const { return ids_[static_cast<size_t>(engine_id(id))] == id; }
  // The engine's id of a token that is read: of <s> without a row that of </s>.
  int32_t engine_id(int32_t id) const { return engine_ids_[static_cast<size_t>(id)]; }
  // The rows of a table of tokens that are kept.
  Tensor rows(const Tensor& table) const;
  template <class T>
  std::vector<T> select(const std::vector<T>& of_all) const {
    std::vector<T> kept;
    for (const int32_t id : ids_) kept.push_back(of_all[static_cast<size_t>(id)]);
    return kept;
  }

 private:
  std::vector<int32_t> ids_, engine_ids_;
};

}  // namespace calque
