// A task that one attention head solves: copy eight random symbols. The query contains only the
// position of the symbol to write, the keys contain position and symbol. Training finds the weights
// that match equal positions: the matrix of attention weights becomes diagonal.
#include "chart.h"
#include "core/ops.h"
#include "example.h"
#include "nn/layers/attention.h"
#include "nn/layers/embedding.h"
#include "nn/layers/positions.h"
#include "optim/optimizer.h"

namespace calque {
namespace {

constexpr int64_t d_model = 32, symbols = 10;
constexpr int32_t length = 8, sentences = 32, steps = 400;

struct CopyModel {
  Embedding embedding;
  CrossAttention attention;
  Linear output;

  CopyModel(const Path& at, const LayerOptions& options)
      : embedding(at / "embedding", symbols, d_model),
        attention(at / "attention", options),
        output(at / "output", d_model, symbols) {}

  TokenLoss loss(std::span<const int32_t> ids, const Segments& segments,
                 AttentionRecord* record = nullptr) const {
    const Tensor table = sinusoids(PositionKind::interleaved, length, d_model);
    const Tensor nothing = Tensor::zeros({std::ssize(ids), d_model});
    const Tensor queries = add_positions(nothing, table, segments);
    const Tensor memory = add_positions(embedding(ids), table, segments);
    const Tensor read = attention(queries, segments, memory, segments, Mode::train, record);
    return cross_entropy(output(read), ids, /*smoothing=*/0);
  }
};

std::vector<int32_t> random_symbols(uint32_t step) {
  Random random({.seed = 1, .step = step});
  std::vector<int32_t> ids(sentences * length);
  for (int32_t& id : ids) id = static_cast<int32_t>(random.below(symbols));
  return ids;
}

// The attention weights of the first sentence.
Chart weights_of(const AttentionRecord& record, const char* title) {
  const Tensor weights = record.entries[0].sentences[0].reshaped({length, length});
  return {.title = title, .x_label = "symbol read", .y_label = "symbol written", .map = {weights}};
}

void show(const char* path) {
  LayerOptions options;
  options.d_model = d_model;
  options.heads = 1;
  Parameters parameters;
  const CopyModel model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(/*seed=*/1);

  const Segments segments = Segments::of_lengths(std::vector<int32_t>(sentences, length));
  const std::vector<int32_t> unseen = random_symbols(0);  // never trained on
  AttentionRecord before, after;
  model.loss(unseen, segments, &before);

  Optimizer optimizer(parameters, AdamSettings{}, /*clip_norm=*/1);
  ChartLine curve;
  for (uint32_t step = 1; step <= steps; ++step) {
    const Tape tape;
    parameters.clear_gradients();
    const TokenLoss loss = model.loss(random_symbols(step), segments);
    backward(loss.loss);
    optimizer.update(parameters, /*learning_rate=*/0.01, 1.0 / double(loss.tokens));
    curve.x.push_back(step), curve.y.push_back(loss.nll / double(loss.tokens));
  }

  const TokenLoss test = model.loss(unseen, segments, &after);
  const Chart trained = weights_of(after, "Attention after training");
  double diagonal = 0;
  for (int64_t i = 0; i < length; ++i) {
    diagonal += double(trained.map.values.data()[i * length + i]) / length;
  }
  const double exact = double(test.correct) / double(test.tokens);
  require(exact > 0.99, "only {} of the unseen symbols are copied", exact);
  require(diagonal > 0.8, "the diagonal has only {} of the attention", diagonal);
  fmt::print("{:.1f}% of {} unseen symbols are copied; the diagonal has {:.0f}% of the attention\n",
             100 * exact, test.tokens, 100 * diagonal);
  write_charts(
      path, "One attention head learns to copy",
      {{.title = "Loss", .x_label = "step", .y_label = "nats per symbol", .lines = {curve}},
       weights_of(before, "Attention before training"),
       trained},
      3);
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::show);
}
