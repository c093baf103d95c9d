#pragma once
// What two trained models, one for each direction, say of pairs of texts: dual conditional
// cross-entropy (Junczys-Dowmunt 2018). The cost of a pair is
//
//   |Hf - Hb| + (Hf + Hb) / 2
//
// where Hf is the cross-entropy of the target's tokens given the source, Hb that of the source's
// given the target, in nats per token. Unrelated texts are costly in both directions, and a text
// that only one model finds easy has a large difference.

#include <span>
#include <string>
#include <vector>

#include "train/tasks/translation/run.h"

namespace calque {

class DualCrossEntropy {
 public:
  // The languages choose the direction of runs in several. Throws an Error unless each run
  // translates into the other's source language.
  DualCrossEntropy(const RunPlace& forward, const RunPlace& backward,
                   const LanguageChoice& languages = {});

  // The cost of each pair. Throws an Error for a text that exceeds the learned positions.
  std::vector<double> operator()(std::span<const std::string> sources,
                                 std::span<const std::string> targets) const;

 private:
  TranslationRun forward_, backward_;
};

}  // namespace calque
