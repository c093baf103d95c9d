// The core's ops, most beside a limit: raw sgemm calls, or a copy of as many bytes by all threads.
// Every iteration times both. `ratio` is the median over the iterations of the op's time / the
// limit's time; `speed_up` is the median of the op's time on one thread / on all threads.
//
//   build/release/bench/core --benchmark_filter=Linear
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>

#include "core/ops.h"
#include "core/threads/parallel.h"
#include "products/raw_sgemm.h"
#include "timing.h"

using namespace calque;

namespace {

// The time with warm caches: short work runs twice, and the second run counts.
double warm_seconds_of(const std::function<void()>& work) {
  constexpr double beyond_caches = 0.01;
  const double taken = seconds_of(work);
  return taken > beyond_caches ? taken : seconds_of(work);
}

void compare_with_limit(benchmark::State& state, const std::function<void()>& op,
                        const std::function<void()>& limit) {
  op();
  limit();
  const int all = threads();
  std::vector<double> ratios, limits, gains;
  bool op_first = true;
  for ([[maybe_unused]] const auto _ : state) {
    const double first = warm_seconds_of(op_first ? op : limit);
    const double second = warm_seconds_of(op_first ? limit : op);
    const double ours = op_first ? first : second, theirs = op_first ? second : first;
    set_threads(1);
    gains.push_back(warm_seconds_of(op) / ours);
    set_threads(all);
    state.SetIterationTime(ours);
    ratios.push_back(ours / theirs);
    limits.push_back(theirs);
    op_first = !op_first;
  }
  state.counters["ratio"] = median(ratios);
  state.counters["limit_ms"] = 1e3 * median(limits);
  state.counters["speed_up"] = median(gains);
}

Tensor filled(const Shape& shape, uint64_t seed) {
  Tensor x(shape);
  fill_normal({.seed = seed}, 0, 1, x.span());
  return x;
}

// The three products of a linear layer: y = x w, dx = dy w^T, dw = x^T dy.
struct LinearProducts {
  int64_t rows, in, out;
  Tensor x, w, y, dx, dw;
  LinearProducts(int64_t r, int64_t i, int64_t o)
      : rows(r),
        in(i),
        out(o),
        x(filled({r, i}, 1)),
        w(filled({i, o}, 2)),
        y(filled({r, o}, 3)),
        dx({r, i}),
        dw({i, o}) {}
  void run() const {
    raw_sgemm({rows, out, in}, x.data(), w.data(), y.data());
    raw_sgemm({rows, in, out, false, true}, y.data(), w.data(), dx.data());
    raw_sgemm({in, out, rows, true, false}, x.data(), y.data(), dw.data());
  }
};

void forward_backward(const std::vector<Tensor>& leaves, const std::function<Tensor()>& op,
                      const Tensor& seed) {
  for (const Tensor& leaf : leaves) leaf.gradient().clear();
  const Tape tape({.seed = 1, .step = 0, .part = 0});
  backward(op(), seed);
}

void Linear(benchmark::State& state) {
  const int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const LinearProducts raw(rows, in, out);
  const Tensor x = variable(raw.x), w = variable(raw.w), b = variable(filled({out}, 4));
  const Tensor seed = filled({rows, out}, 5);
  compare_with_limit(
      state,
      [&] {
        forward_backward(
            {x, w, b}, [&] { return linear(x, w, b); }, seed);
      },
      [&] { raw.run(); });
}

void ResidualNorm(benchmark::State& state) {
  const int64_t rows = state.range(0), cols = state.range(1);
  const Tensor x = variable(filled({rows, cols}, 1)), y = variable(filled({rows, cols}, 2));
  const Tensor gain = variable(filled({cols}, 3)), bias = variable(filled({cols}, 4));
  const Tensor seed = filled({rows, cols}, 5);
  // Matrices read or written. Forward: x, y, out. Backward: seed, its copy (twice), out, dx, dy.
  constexpr int64_t moved = 9;
  const Tensor from = Tensor::full({moved * rows, cols / 2}, 1), to(from.shape());
  compare_with_limit(
      state,
      [&] {
        forward_backward(
            {x, y, gain, bias}, [&] { return residual_norm(x, y, real(0.1), gain, bias); }, seed);
      },
      [&] {
        for_rows(from.size(), 1, [&](int64_t begin, int64_t end) {
          std::copy(from.data() + begin, from.data() + end, to.data() + begin);
        });
      });
}

Segments sentences(int64_t count, int32_t shortest, int32_t longest) {
  Random random({.seed = 9});
  Segments segments;
  const auto lengths = static_cast<uint64_t>(longest - shortest) + 1;
  for (int64_t i = 0; i < count; ++i) {
    segments.append(shortest + static_cast<int32_t>(random.below(lengths)));
  }
  return segments;
}

// 128 sentences of 10 to 40 tokens, 4 heads. The limit is four projections of d_model 256.
void ShortAttention(benchmark::State& state) {
  const int64_t d = state.range(0);
  const Segments segments = sentences(128, 10, 40);
  const int64_t tokens = segments.tokens();
  const Tensor qkv = variable(filled({tokens, 3 * d}, 1)), seed = filled({tokens, d}, 2);
  const LinearProducts raw(tokens, 256, 256);
  compare_with_limit(
      state,
      [&] {
        forward_backward(
            {qkv}, [&] { return self_attention(qkv, segments, {.heads = 4}); }, seed);
      },
      [&] {
        for (int i = 0; i < 4; ++i) raw.run();
      });
}

// One sentence, 8 heads of 64. Attention has 2 products forward and 5 backward; the limit is one
// sgemm of another shape, so `share_of_sgemm_rate` compares FLOP/s.
void LongAttention(benchmark::State& state) {
  const int64_t n = state.range(0), d = 512;
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{static_cast<int32_t>(n)});
  const Tensor qkv = variable(filled({n, 3 * d}, 1)), seed = filled({n, d}, 2);
  const Tensor a = filled({1024, 1024}, 3), b = filled({1024, 1024}, 4), c({1024, 1024});
  const GemmCall product{1024, 1024, 1024};
  const double useful = 7 * 2.0 * double(n) * double(n) * double(d);
  const int64_t before = memory_statistics().used;
  reset_peak_memory();
  compare_with_limit(
      state,
      [&] {
        forward_backward(
            {qkv}, [&] { return self_attention(qkv, segments, {.heads = 8}); }, seed);
      },
      [&] { raw_sgemm(product, a.data(), b.data(), c.data()); });
  state.counters["share_of_sgemm_rate"] = useful / flops(product) / state.counters["ratio"];
  // The peak less the gradient of qkv, the output and the copy of the seed.
  state.counters["extra_MB"] =
      double(memory_statistics().peak - before - (3 + 1 + 1) * n * d * int64_t(sizeof(real))) / 1e6;
}

// One sentence, 8 heads of 32, forward and backward. `full_by_window` is the time of full attention
// / the time with a window of 256 keys on each side; for `full_by_bigbird` the window is combined
// with a global token and two random blocks.
void SparseAttention(benchmark::State& state) {
  const int64_t n = state.range(0), d = 256;
  const bool causal = state.range(1) != 0;
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{static_cast<int32_t>(n)});
  const Tensor qkv = variable(filled({n, 3 * d}, 1)), seed = filled({n, d}, 2);
  const auto step = [&](const Sparsity& sparsity) {
    const AttentionOptions options{.heads = 8, .causal = causal, .sparsity = sparsity};
    return seconds_of([&] {
      forward_backward(
          {qkv}, [&] { return self_attention(qkv, segments, options); }, seed);
    });
  };
  step({.window = 256});
  std::vector<double> by_window, by_bigbird;
  for ([[maybe_unused]] const auto _ : state) {
    const double window = step({.window = 256});
    state.SetIterationTime(window);
    const double full = step({});
    by_window.push_back(full / window);
    by_bigbird.push_back(full / step({.window = 256, .global = 1, .random = 2}));
  }
  state.counters["full_by_window"] = median(by_window);
  state.counters["full_by_bigbird"] = median(by_bigbird);
}

void ProjectionLoss(benchmark::State& state) {
  const int64_t rows = state.range(0), vocabulary = state.range(1), d = state.range(2);
  const LinearProducts raw(rows, d, vocabulary);
  const Tensor x = variable(filled({rows, d}, 1)), w = variable(filled({vocabulary, d}, 2));
  std::vector<int32_t> expected;
  for (int64_t i = 0; i < rows; ++i) expected.push_back(static_cast<int32_t>(i * 37 % vocabulary));
  const int64_t before = memory_statistics().used;
  reset_peak_memory();
  compare_with_limit(
      state,
      [&] {
        forward_backward(
            {x, w}, [&] { return projected_cross_entropy(x, w, {}, expected, real(0.1)).loss; },
            Tensor::full({}, 1));
      },
      [&] { raw.run(); });
  state.counters["extra_MB"] =
      double(memory_statistics().peak - before - (rows + vocabulary) * d * int64_t(sizeof(real))) /
      1e6;
}

void linear_shapes(benchmark::internal::Benchmark* linear) {
  for (const auto& [in, out] : {std::pair{512, 512}, {512, 2048}, {128, 128}, {128, 384}}) {
    linear->Args({4096, in, out});
  }
  linear->UseManualTime()->Unit(benchmark::kMillisecond);
}

}  // namespace

BENCHMARK(Linear)->Apply(linear_shapes);
BENCHMARK(ResidualNorm)
    ->Args({4096, 128})
    ->Args({4096, 512})
    ->Args({16384, 2048})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ShortAttention)->Arg(128)->Arg(256)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(LongAttention)->Arg(4096)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(SparseAttention)
    ->ArgsProduct({{512, 1024, 4096, 16384}, {0, 1}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);
BENCHMARK(ProjectionLoss)
    ->Args({4096, 8000, 128})
    ->Args({4096, 8000, 512})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(7);

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
