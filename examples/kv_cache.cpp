// Generation with a cache of keys and values. With a causal mask, the results of a token do not
// depend on later tokens, so its keys and values can be kept. Each step then runs one token through
// the layers, instead of the whole text, and returns the same logits up to rounding.
#include "chart.h"
#include "core/ops.h"
#include "decode/models/language_decoding.h"
#include "example.h"

namespace calque {
namespace {

constexpr int32_t longest = 40;

void show(const char* path) {
  LanguageModelOptions options;
  options.layer.d_model = 64;
  options.layer.d_ff = 128;
  options.layer.heads = 4;
  options.vocabulary = 100;
  options.layers = 3;
  Parameters parameters;
  const LanguageModel model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(/*seed=*/1);

  const std::vector<std::vector<int32_t>> prompts = {{1}};
  const DecodingModel decoding = language_decoding_model(model, prompts);
  const std::vector<size_t> items = {0};
  const std::unique_ptr<StepDecoder> cached = decoding.start(items);

  std::vector<int32_t> text = {1};
  ChartLine again{.label = "recomputed"}, kept{.label = "with a cache"}, difference;
  double tokens_again = 0, largest_so_far = 0;
  for (int32_t step = 1; step <= longest; ++step) {
    const Tensor logits = cached->step({.ids = {text.back()}, .items = {0}, .parents = {0}});

    const Segments all = Segments::of_lengths(std::vector{step});
    const Tensor hidden = model.hidden(text, all, Mode::evaluate);
    const Tensor recomputed = model.logits(slice_rows(hidden, step - 1, step));

    const double now = largest_difference(logits, recomputed);
    largest_so_far = std::max(largest_so_far, now);
    tokens_again += step;
    again.x.push_back(step), again.y.push_back(tokens_again);
    kept.x.push_back(step), kept.y.push_back(step);
    difference.x.push_back(step), difference.y.push_back(now * 1e6);
    text.push_back((text.back() * 7 + step) % 100);  // any next token will do
  }
  require(largest_so_far < 1e-4, "the logits with a cache differ by {}", largest_so_far);
  fmt::print("{} tokens: {} runs through the layers with a cache, {} without\n", longest, longest,
             tokens_again);
  fmt::print("the logits differ by {:.0e} at most: rounding\n", largest_so_far);
  write_charts(path, "The cache of keys and values saves work and changes no result",
               {{.title = "Work",
                 .x_label = "generated tokens",
                 .y_label = "tokens run through the layers",
                 .lines = {again, kept}},
                {.title = "Largest difference of the logits",
                 .x_label = "generated tokens",
                 .y_label = "millionths",
                 .lines = {difference}}});
}

}  // namespace
}  // namespace calque

int main(int arguments, char** argument) {
  return calque::run_example(arguments, argument, calque::show);
}
