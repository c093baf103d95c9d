#pragma once
// Hypotheses that fork, end and are reordered at random: each row of a step continues a random row
// of the previous step. A cached decoder must agree with a full pass.

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "core/ops.h"
#include "core/random.h"
#include "decode/search/step_decoder.h"
#include "support/worse.h"

namespace calque {

// log p(token | the item's input, written) for every token, by a full pass.
using PlainPass =
    std::function<std::vector<double>(int32_t item, const std::vector<int32_t>& written)>;

// The indices of all inputs of a DecodingModel.
inline std::vector<size_t> all_items(const std::vector<std::vector<int32_t>>& inputs) {
  std::vector<size_t> items(inputs.size());
  std::iota(items.begin(), items.end(), size_t{0});
  return items;
}

class Wandering {
 public:
  // Item i first reads first[i].
  Wandering(const std::vector<int32_t>& first, PlainPass plain) : plain_(std::move(plain)) {
    for (int32_t i = 0; i < std::ssize(first); ++i) {
      step_.ids.push_back(first[static_cast<size_t>(i)]);
      step_.items.push_back(i);
      rows_.push_back({i, {}});
    }
  }

  // The largest difference of a log-probability from that of the full pass.
  double difference(StepDecoder& decoder) {
    const Tensor logs = log_softmax(decoder.step(step_));
    vocabulary_ = logs.cols();
    double most = 0;
    for (size_t r = 0; r < rows_.size(); ++r) {
      const std::vector<double> expected = plain_(rows_[r].item, rows_[r].written);
      for (size_t id = 0; id < expected.size(); ++id) {
        most = worse(most, std::abs(logs.span()[r * expected.size() + id] - expected[id]));
      }
    }
    return most;
  }

  void wander() {
    std::vector<Row> next;
    step_ = {};
    for (uint64_t count = 1 + random_.below(6); count > 0; --count) {
      const auto parent = static_cast<int32_t>(random_.below(rows_.size()));
      Row row = rows_[static_cast<size_t>(parent)];
      row.written.push_back(
          static_cast<int32_t>(random_.below(static_cast<uint64_t>(vocabulary_))));
      step_.ids.push_back(row.written.back());
      step_.items.push_back(row.item);
      step_.parents.push_back(parent);
      next.push_back(std::move(row));
    }
    rows_ = std::move(next);
  }

 private:
  struct Row {
    int32_t item;
    std::vector<int32_t> written;
  };

  PlainPass plain_;
  Random random_{{.seed = 7}};
  int64_t vocabulary_ = 0;
  DecodingStep step_;
  std::vector<Row> rows_;
};

}  // namespace calque
