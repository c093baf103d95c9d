#pragma once
// The examples of a language model: windows of at most `context` steps. A document of n tokens is
// n + 1 steps, (<s>, t1), (t1, t2), ..., (tn, </s>): what the model reads and what it is trained to
// predict. Documents either follow each other and are cut as one sequence, or each is cut alone.
//
// For training the cut is at a random offset that differs by epoch, and every window has `context`
// steps if its sequence has. A sequence of S steps gives W = ceil(S / context) windows, which visit
// W * context - S steps twice:
//   across documents   window k begins at step (o + min(k * context, S - context)) mod S: the last
//                      document of a part is followed by the first, and o < S is random;
//   one document       window k begins at step clamp(k * context - o, 0, S - context), where
//                      o <= W * context - S is random: it has no offset where W * context = S.
// For evaluation window k begins at step k * context and the last one may be shorter: every step
// occurs exactly once.

#include <cstdint>
#include <string>
#include <vector>

#include "data/batch_stream.h"
#include "data/dataset.h"

namespace calque {

enum class WindowUse { training, evaluation };

struct WindowOptions {
  int64_t context = 256;        // steps of a window, at most
  bool cross_documents = true;  // false: a window has steps of one document alone
  WindowUse use = WindowUse::training;
  uint64_t seed = 1;  // of the offsets
};

class TextWindows {
 public:
  // Requires a dataset of one column.
  TextWindows(Dataset dataset, const WindowOptions& options);

  // The windows of an epoch; numbers and lengths are the same in every epoch.
  int64_t count() const { return sequences_.back().first_window; }
  // Steps of all documents, each counted once.
  int64_t steps() const { return sequences_.back().first_step; }
  int64_t length(int64_t window) const;

  // The parts of the dataset as ranges of windows.
  std::vector<SharedRange> parts() const;

  // Both have length(window) ids.
  void read(int64_t epoch, int64_t window, std::vector<int32_t>& inputs,
            std::vector<int32_t>& expected) const;

  // "book.txt, document 3": the document that the window begins in in epoch 0.
  std::string where(int64_t window) const;

  // The windows as examples of two columns, inputs and expected, which cost their length.
  ExampleSet examples() const;

 private:
  // Steps that are cut together: a part or a document. The last entry marks the end.
  struct Sequence {
    int64_t first_step = 0, first_window = 0;
  };
  struct Span {
    int64_t begin, end;  // of the sequence, in steps
    int64_t first;       // step of the window; beyond `end` it continues at `begin`
  };
  int64_t sequence_of(int64_t window) const;
  Span span_of(int64_t epoch, int64_t window) const;
  int64_t document_at(int64_t step) const;
  void append_steps(int64_t begin, int64_t end, std::vector<int32_t>& inputs,
                    std::vector<int32_t>& expected) const;

  Dataset dataset_;
  WindowOptions options_;
  std::vector<int64_t> document_steps_;  // [documents + 1]  steps before each document
  std::vector<Sequence> sequences_;
};

}  // namespace calque
