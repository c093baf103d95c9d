// Self-attention does not see the order of its tokens: if the tokens are permuted, the results are
// permuted in the same way (permutation equivariance). With positions added, the results depend on
// the order.
#include "chart.h"
#include "core/ops.h"
#include "example.h"
#include "nn/layers/attention.h"
#include "nn/layers/positions.h"

namespace calque {
namespace {

constexpr int64_t d_model = 32;
const std::vector<std::string> words = {"the", "dog", "bites", "a", "man"};
const std::vector<int32_t> order = {3, 4, 2, 0, 1};  // a man bites the dog
const Segments sentence = Segments::of_lengths(std::vector{5});

struct Pass {
  Tensor result;
  Chart weights;
};

Pass attend(const SelfAttention& attention, const Tensor& x, const std::string& title,
            const std::vector<std::string>& labels) {
  AttentionRecord record;
  const Tensor result = attention(x, sentence, Mode::evaluate, &record);
  return {result,
          {.title = title,
           .x_label = "attends to",
           .y_label = "token",
           .map = {record.entries[0].sentences[0].reshaped({5, 5}), labels, labels}}};
}

void word_order(const char* path) {
  LayerOptions options;
  options.d_model = d_model;
  options.heads = 1;
  Parameters parameters;
  const SelfAttention attention(Path(parameters) / "attention", options, Mask::none);
  parameters.allocate();
  parameters.initialise(/*seed=*/1);

  const Tensor x = random_normal({5, d_model}, 1, 2);
  const Tensor permuted = gather_rows(x, order);
  const Tensor table = sinusoids(PositionKind::interleaved, 5, d_model) * 2;
  std::vector<std::string> permuted_words;
  for (const int32_t i : order) permuted_words.push_back(words[static_cast<size_t>(i)]);

  const Pass plain = attend(attention, x, "No positions", words);
  const Pass moved = attend(attention, permuted, "No positions, permuted", permuted_words);
  const Pass placed = attend(attention, x + table, "With positions", words);
  const Pass both = attend(attention, permuted + table, "With positions, permuted", permuted_words);

  const double without = largest_difference(moved.result, gather_rows(plain.result, order));
  const double with = largest_difference(both.result, gather_rows(placed.result, order));
  require(without < 1e-5, "without positions the order changes the result by {}", without);
  require(with > 0.1, "with positions the order changes the result by {} only", with);
  fmt::print(
      "\"the dog bites a man\" and \"a man bites the dog\": the vector of a word changes by\n");
  fmt::print("{:.0e} without positions, by up to {:.2f} with them\n", without, with);
  write_charts(path, "Attention does not see the order of tokens until positions are added",
               {plain.weights, moved.weights, placed.weights, both.weights});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::word_order);
}
