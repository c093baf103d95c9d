#pragma once
// Sentences with placeholders whose translations come all at once, as those of a server do: what
// may be needed is translated in advance.

#include <string>
#include <vector>

#include "data/placeholders/kept_text.h"

namespace calque {

class KeptBatch {
 public:
  KeptBatch(const std::vector<std::string>& sentences, const PlaceholderKinds& kinds);

  // The texts to translate: first the sentences, then what those with placeholders need in
  // addition.
  const std::vector<std::string>& inputs() const { return inputs_; }

  // From the translations of each input, best first, those of each sentence.
  std::vector<std::vector<std::string>> chosen(
      const std::vector<std::vector<std::string>>& found) const;

 private:
  struct Kept {
    size_t sentence;
    KeptText text;
    size_t masked, segments;  // indices of inputs: of masked(), and of the first segment
  };
  size_t sentences_;
  std::vector<std::string> inputs_;
  std::vector<Kept> kept_;
};

}  // namespace calque
