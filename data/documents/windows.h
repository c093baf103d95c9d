#pragma once
// The examples of a language model: windows of at most `context` steps. A document of n tokens has
// n + 1 steps (<s>, t1), (t1, t2), ..., (tn, </s>), pairs of the token that the model reads and the
// token that it is trained to predict. The sequence that is cut into windows is a document or all
// documents of a part.
//
// Training cuts at a random offset o that differs by epoch. A sequence of S steps has
// W = ceil(S / context) windows of min(S, context) steps, so W * context - S steps occur twice:
//   across documents   window k begins at step (o + min(k * context, S - context)) mod S
//                      with o < S: the first document of a part follows the last one
//   one document       window k begins at step clamp(k * context - o, 0, S - context)
//                      with o <= W * context - S
// Evaluation begins window k at step k * context and visits every step once; the last window may be
// shorter.
//
// Some models expect <s> at the start of whatever they read. With `begin`, it replaces the token
// that the first step of a window reads.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/batches/stream.h"
#include "data/datasets/dataset.h"

namespace calque {

enum class WindowUse { training, evaluation };

struct WindowOptions {
  int64_t context = 256;        // maximum number of steps in a window
  bool cross_documents = true;  // false: a window has steps of one document only
  bool begin = false;           // every window begins with <s>
  WindowUse use = WindowUse::training;
  uint64_t seed = 1;  // for the random offsets
};

class TextWindows {
 public:
  // Requires a dataset of one column.
  TextWindows(Dataset dataset, const WindowOptions& options);

  // The number of windows of an epoch. Count and lengths are the same in every epoch.
  int64_t count() const { return sequences_.back().first_window; }
  // The number of steps of all documents.
  int64_t steps() const { return sequences_.back().first_step; }
  int64_t length(int64_t window) const;

  // The parts of the dataset as ranges of windows.
  std::vector<SharedRange> parts() const;

  // Reads length(window) inputs and as many expected ids.
  void read(int64_t epoch, int64_t window, std::vector<int32_t>& inputs,
            std::vector<int32_t>& expected) const;

  // "book.txt, document 3": the document in which the window begins in epoch 0.
  std::string where(int64_t window) const;

  ExampleSet examples() const;

 private:
  // A part or a document, cut as a whole. The last entry marks the end.
  struct Sequence {
    int64_t first_step = 0, first_window = 0;
  };
  struct Span {
    int64_t begin, end;  // of the sequence, in steps
    int64_t first;       // first step of the window, which continues at `begin` beyond `end`
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

// The windows as examples of two columns, which they read; the cost is the length.
template <class Windows>
ExampleSet window_examples(std::shared_ptr<const Windows> windows) {
  ExampleSet set;
  for (int64_t window = 0; window < windows->count(); ++window) {
    set.costs.push_back(static_cast<int32_t>(windows->length(window)));
  }
  set.parts = windows->parts();
  set.read = [windows](int64_t epoch, int64_t window, Example& out) {
    out.resize(2);
    windows->read(epoch, window, out[0], out[1]);
  };
  set.where = [windows](int64_t window) { return windows->where(window); };
  return set;
}

}  // namespace calque
