#include "train/tasks/translation/training.h"

#include "data/batches/pair_batch.h"

namespace calque {
namespace {

std::vector<int64_t> chunk_begins_of(std::span<const Example> pairs, int64_t chunks) {
  Segments targets;
  for (const Example& pair : pairs) targets.append(static_cast<int32_t>(pair[1].size()) + 1);
  return chunk_begins(targets, chunks);
}

// A chunk ends before a pair whose middle token is in the next share, and before it would exceed
// `most` tokens.
std::vector<int64_t> begins_of_shares(const Segments& targets, int64_t share, int64_t most) {
  std::vector<int64_t> begins = {0};
  int64_t current = 0, tokens = 0;
  for (int64_t i = 0; i < targets.count(); ++i) {
    const int64_t length = targets.length(i), middle = targets.begin(i) + length / 2;
    if (tokens > 0 && (middle / share > current || tokens + length > most)) {
      begins.push_back(i);
      tokens = 0;
    }
    current = middle / share;
    tokens += length;
  }
  return begins;
}

}  // namespace

SummedLoss pair_loss(Translator model, std::span<const Example> pairs, double label_smoothing,
                     Mode mode, double agreement) {
  const PairBatch batch = make_pair_batch(pairs, model.source_end());
  return summed(model.loss(batch.source, batch.source_segments, batch.decoder_input, batch.expected,
                           batch.target_segments, static_cast<real>(label_smoothing), mode,
                           static_cast<real>(agreement)));
}

ExampleTraining pair_training(Translator model, const TrainingConfig& training, ExampleSet set,
                              const WordTeacher* teacher) {
  const auto tokens = [ends = model.source_end()](const Example& pair) {
    std::vector<int32_t> ids;
    return append_source(pair[0], ends, ids) + std::ssize(pair[1]) + 1;
  };
  return {.set = std::move(set),
          .forward =
              [model, &training, teacher](std::span<const Example> pairs) {
                if (teacher) return teacher->loss(model, pairs, training.label_smoothing);
                return pair_loss(model, pairs, training.label_smoothing, Mode::train,
                                 training.r_drop);
              },
          .tokens = tokens,
          .chunk_begins = chunk_begins_of};
}

std::vector<int64_t> chunk_begins(const Segments& targets, int64_t chunks) {
  const int64_t share = (targets.tokens() + chunks - 1) / chunks;
  int64_t most = chunks > 1 ? share + share / 16 : share;
  std::vector<int64_t> begins = begins_of_shares(targets, share, most);
  while (std::ssize(begins) > chunks) {
    most += std::max<int64_t>(1, share / 16);
    begins = begins_of_shares(targets, share, most);
  }
  return begins;
}

}  // namespace calque
