#pragma once
// The examples of masked language modelling: masked windows of a text, each after <s>. A window has
// data.context tokens at most, <s> included.

#include <vector>

#include "data/documents/masking.h"
#include "data/documents/windows.h"
#include "train/config/config.h"

namespace calque {

Masking masking_of(const Config& config, const Tokenizer& tokenizer);

class MaskedWindows {
 public:
  MaskedWindows(const Dataset& text, const Config& config, WindowUse use, Masking masking)
      : windows_(text, {.context = config.data.context - 1,
                        .cross_documents = config.data.cross_documents,
                        .use = use,
                        .seed = static_cast<uint64_t>(config.training.seed)}),
        masking_(std::move(masking)) {}

  int64_t count() const { return windows_.count(); }
  int64_t length(int64_t window) const { return windows_.length(window) + 1; }
  std::vector<SharedRange> parts() const { return windows_.parts(); }
  std::string where(int64_t window) const { return windows_.where(window); }

  // Sets `ids` to the masked ids. `expected` has the original ids at the chosen positions, and
  // not_masked elsewhere.
  void read(int64_t epoch, int64_t window, std::vector<int32_t>& ids,
            std::vector<int32_t>& expected) const;

 private:
  TextWindows windows_;
  Masking masking_;
};

}  // namespace calque
