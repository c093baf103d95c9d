// Why attention was invented. A recurrent encoder without attention passes the decoder one vector,
// whatever the length of the sentence. With attention the decoder reads a vector for every word.
// Three small translators learn to reverse sequences of up to 20 symbols; the chart shows how many
// symbols each gets right, by the length of the sequence.
#include "chart.h"
#include "core/random.h"
#include "example.h"
#include "nn/models/translator.h"
#include "optim/optimizer.h"

namespace calque {
namespace {

constexpr int32_t symbols = 10, first_symbol = 2, longest = 20, sentences = 32;
constexpr int32_t begin = 0, end = 1, vocabulary = first_symbol + symbols;
constexpr uint32_t steps = 1000;

struct Batch {
  std::vector<int32_t> source, input, expected;
  Segments segments;
};

// Sequences of `length` symbols or, if it is 0, of random lengths from 1 to `longest`.
Batch random_batch(uint32_t number, int32_t length = 0) {
  Random random({.seed = 1, .step = number});
  Batch batch;
  for (int32_t i = 0; i < sentences; ++i) {
    const int32_t count = length > 0 ? length : 1 + static_cast<int32_t>(random.below(longest));
    std::vector<int32_t> sequence(count);
    for (int32_t& id : sequence) id = first_symbol + static_cast<int32_t>(random.below(symbols));
    batch.source.insert(batch.source.end(), sequence.begin(), sequence.end());
    batch.source.push_back(end);
    batch.input.push_back(begin);
    batch.input.insert(batch.input.end(), sequence.rbegin(), sequence.rend());
    batch.expected.insert(batch.expected.end(), sequence.rbegin(), sequence.rend());
    batch.expected.push_back(end);
    batch.segments.append(count + 1);
  }
  return batch;
}

TokenLoss loss_of(Translator model, const Batch& batch, Mode mode) {
  return model.loss(batch.source, batch.segments, batch.input, batch.expected, batch.segments,
                    /*label_smoothing=*/0, mode);
}

// Trains a model and returns the percentage of right symbols for each length.
template <class Model, class Options>
ChartLine percent_right(const char* label, const Options& options) {
  Parameters parameters;
  const Model model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(/*seed=*/1);
  Optimizer optimizer(parameters, AdamSettings{}, /*clip_norm=*/1);
  for (uint32_t step = 1; step <= steps; ++step) {
    const Tape tape;
    parameters.clear_gradients();
    const TokenLoss loss = loss_of(model, random_batch(step), Mode::train);
    backward(loss.loss);
    optimizer.update(parameters, /*learning_rate=*/0.004, 1.0 / double(loss.tokens));
  }
  ChartLine line{.label = label, .dots = true};
  for (int32_t length = 1; length <= longest; ++length) {
    const TokenLoss test = loss_of(model, random_batch(steps + length, length), Mode::evaluate);
    line.x.push_back(length), line.y.push_back(100 * double(test.correct) / double(test.tokens));
  }
  return line;
}

ChartLine recurrent(const char* label, ScoreKind score) {
  return percent_right<RecurrentTranslator>(label, RecurrentOptions{.d_model = 32,
                                                                    .hidden = 32,
                                                                    .source_vocabulary = vocabulary,
                                                                    .target_vocabulary = vocabulary,
                                                                    .score = score,
                                                                    .dropout = 0});
}

ChartLine transformer(const char* label) {
  TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = vocabulary;
  options.layer.d_model = 32, options.layer.d_ff = 64, options.layer.heads = 2;
  options.layer.dropout = 0;
  options.encoder_layers = options.decoder_layers = 1;
  return percent_right<Transformer>(label, options);
}

void show(const char* path) {
  const ChartLine without = recurrent("RNN", ScoreKind::none);
  const ChartLine with = recurrent("RNN with attention", ScoreKind::additive);
  const ChartLine attention_only = transformer("Transformer");
  for (const ChartLine& line : {without, with, attention_only}) {
    fmt::print("{}: {:.0f}% of the symbols at length 5, {:.0f}% at {}\n", line.label, line.y[4],
               line.y.back(), longest);
  }
  require(with.y.back() > 80, "with attention only {}% of the symbols are right", with.y.back());
  require(attention_only.y.back() > 80, "the Transformer gets only {}% of the symbols right",
          attention_only.y.back());
  require(without.y.back() < 70, "without attention {}% of the symbols are right",
          without.y.back());
  write_charts(path, "One vector for a whole sentence",
               {{.title = "Reversed symbols that are right",
                 .x_label = "symbols in the sequence",
                 .y_label = "%",
                 .lines = {without, with, attention_only}}});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::show);
}
