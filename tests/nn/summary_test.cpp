// The summary's arithmetic against models that were built, and against a model counted by hand.

#include <doctest/doctest.h>

#include "core/memory.h"
#include "nn/small_model.h"

using namespace calque;

namespace {

TransformerOptions base(int64_t vocabulary) {
  TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = vocabulary;
  return options;
}

}  // namespace

TEST_CASE("a summary counts the parameters that the store holds") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const ModelSummary summary = model.transformer.summary();
    CHECK(summary.total.parameters == model.parameters.count());
    int64_t parts = 0;
    for (const ModelSummary::Part& part : summary.parts) parts += part.parameters;
    CHECK(parts == summary.total.parameters);
  }
}

TEST_CASE("the paper's base model has 63 million parameters with its vocabulary of 37000") {
  // 37000 * 512, encoder 6 * (4 * 262656 + 2099712 + 2048), decoder 6 * (8 * 262656 + 2099712 +
  // 3072)
  CHECK(summarise(base(37000)).total.parameters == 18'944'000 + 18'914'304 + 25'224'192);
}

TEST_CASE("FLOPs are 2 a weight and token, and 4 d_model a pair that attends") {
  TransformerOptions options = small_options();  // d_model 8, d_ff 12, 2 + 2 layers, vocabulary 13
  const double encoder = 2 * (2 * 4 * 64 + 2 * 2 * 96), memory_kv = 2 * 2 * 2 * 64;
  const double decoder = 2 * (2 * 4 * 64 + 2 * 2 * 64 + 2 * 2 * 96), output = 2 * 13 * 8;
  CHECK(forward_flops(options, {.source_tokens = 10}) == 10 * (encoder + memory_kv));
  CHECK(forward_flops(options, {.target_tokens = 10}) == 10 * (decoder + output));
  CHECK(forward_flops(options, {.source_pairs = 1}) == 2 * 32);
  const SmallBatch batch = random_batch(options, {{3, 2}, {1, 4}});
  const AttentionWork work = AttentionWork::of(batch.source_segments, batch.target_segments);
  CHECK(work.source_pairs == 9 + 1);
  CHECK(work.target_pairs == 3 + 10);
  CHECK(work.cross_pairs == 6 + 4);
  const ModelSummary summary = summarise(options, {.source_length = 5, .target_length = 7});
  CHECK(summary.total.flops_per_source_token == encoder + memory_kv + 5 * 64);
  CHECK(summary.total.flops_per_target_token == decoder + output + (4 + 5) * 64);
}

// With 16 tokens a sentence, causal attention's results are not kept, with 8 no attention's.
TEST_CASE("the memory that a summary foretells is what the tape keeps") {
  for (Variant variant : variants()) {
    CAPTURE(variant.name);
    TransformerOptions& options = variant.options;
    options.d_model = 192;  // sizes that the pool's steps fit, so that it rounds nothing up
    options.d_ff = 128;
    options.max_positions = 64;
    options.dropout = real(0.1);
    for (const real activation_dropout : {real(0), real(0.1)}) {
      options.activation_dropout = activation_dropout;
      const int64_t passes = activation_dropout > 0 ? 2 : 1;
      const SmallModel model(options);
      for (const int32_t length : {16, 8}) {
        const SmallBatch batch = random_batch(
            options, std::vector<std::pair<int32_t, int32_t>>(512 / length, {length, length - 2}));
        const SummaryBatch size{.source_tokens = 512,
                                .target_tokens = 512 / length * (length - 2),
                                .source_length = double(length),
                                .target_length = double(length - 2),
                                .passes = passes};
        const int64_t before = memory_statistics().used;
        const Tape tape;
        const TokenLoss loss = loss_of(model.transformer, batch, real(0.1), Mode::train,
                                       static_cast<real>(passes - 1));
        const auto kept = static_cast<double>(memory_statistics().used - before);
        CAPTURE(length);
        CHECK(kept == doctest::Approx(summarise(options, size).memory.activations).epsilon(0.01));
      }
    }
  }
}

// With many tokens the activations are more than the gradients, with few less.
TEST_CASE("a training step's peak of memory is about what the summary foretells") {
  TransformerOptions options = base(2000);
  options.d_model = 128;
  options.d_ff = 1024;
  options.encoder_layers = options.decoder_layers = 3;
  for (const size_t sentences : {64, 4}) {
    for (const bool accumulated : {false, true}) {
      CAPTURE(sentences);
      CAPTURE(accumulated);
      const int64_t before = memory_statistics().used;
      const SmallModel model(options);
      const SmallBatch batch =
          random_batch(options, std::vector<std::pair<int32_t, int32_t>>(sentences, {16, 16}));
      const auto step = [&] {
        const Tape tape;
        backward(loss_of(model.transformer, batch, real(0.1), Mode::train).loss);
      };
      if (accumulated) step();
      reset_peak_memory();
      step();
      const auto peak = static_cast<double>(memory_statistics().peak - before);
      const auto tokens = static_cast<int64_t>(16 * sentences);
      const ModelSummary summary = summarise(options, {.source_tokens = tokens,
                                                       .target_tokens = tokens,
                                                       .source_length = 16,
                                                       .target_length = 16,
                                                       .moments = 0,
                                                       .accumulated = accumulated});
      CHECK(peak == doctest::Approx(summary.memory.total()).epsilon(0.1));
    }
  }
}

TEST_CASE("a summary's table names the parts, the totals and the memory") {
  const std::string text = summarise(base(8000)).text();
  for (const char* piece : {"embedding (source, target, output)", "encoder self-attention",
                            "decoder cross-attention", "48,234,496", "4,096 + 4,096 tokens"}) {
    CAPTURE(piece);
    CHECK(text.find(piece) != std::string::npos);
  }
  const double moments = 2.0 * 48234496 * sizeof(real) / (1 << 20);
  CHECK(text.find(fmt::format("optimiser {:.0f}", moments)) != std::string::npos);
}
