// The core's ops, each beside the limit that it works against, measured in the same iterations: raw
// sgemm calls of the same products, or a parallel copy of as many bytes. `ratio` is the median of
// op time / limit time over the iterations, so what the machine does meanwhile meets both;
// `speed_up` that of its time on one thread / its time.
//
//   build/release/bench/core --benchmark_filter=Linear
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <functional>

#include "core/blas.h"
#include "core/ops.h"
#include "core/parallel.h"
#include "core/simd.h"
#include "timing.h"

using namespace calque;

namespace {

// Of work whose data lie where the work itself left them, in the caches of the threads that do it:
// what takes no longer than they could hold is done once before.
double settled_seconds_of(const std::function<void()>& work) {
  constexpr double beyond_caches = 0.01;
  const double taken = seconds_of(work);
  return taken > beyond_caches ? taken : seconds_of(work);
}

// Runs both in every iteration, in turn first, and the op once more on one thread; reports the op's
// time, its ratio to the limit's and what its threads gain. Returns the op's seconds.
double against(benchmark::State& state, const std::function<void()>& op,
               const std::function<void()>& limit) {
  op();
  limit();
  const int all = threads();
  std::vector<double> times, ratios, limits, gains;
  bool op_first = true;
  for ([[maybe_unused]] const auto _ : state) {
    const double first = settled_seconds_of(op_first ? op : limit);
    const double second = settled_seconds_of(op_first ? limit : op);
    const double ours = op_first ? first : second, theirs = op_first ? second : first;
    set_threads(1);
    gains.push_back(settled_seconds_of(op) / ours);
    set_threads(all);
    state.SetIterationTime(ours);
    times.push_back(ours);
    ratios.push_back(ours / theirs);
    limits.push_back(theirs);
    op_first = !op_first;
  }
  state.counters["ratio"] = median(ratios);
  state.counters["limit_ms"] = 1e3 * median(limits);
  state.counters["speed_up"] = median(gains);
  return median(times);
}

Tensor filled(const Shape& shape, uint64_t seed) {
  Tensor x(shape);
  fill_normal({.seed = seed}, 0, 1, x.span());
  return x;
}

// One raw call of the library, on all its threads.
void sgemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int64_t m, int64_t n, int64_t k, const real* a,
           const real* b, real* c) {
  const auto i = [](int64_t v) { return static_cast<int>(v); };
  cblas_sgemm(CblasRowMajor, ta, tb, i(m), i(n), i(k), 1, a, i(ta == CblasTrans ? m : k), b,
              i(tb == CblasTrans ? k : n), 0, c, i(n));
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
    sgemm(CblasNoTrans, CblasNoTrans, rows, out, in, x.data(), w.data(), y.data());
    sgemm(CblasNoTrans, CblasTrans, rows, in, out, y.data(), w.data(), dx.data());
    sgemm(CblasTrans, CblasNoTrans, in, out, rows, x.data(), y.data(), dw.data());
  }
};

void forward_backward(const std::vector<Tensor>& leaves, const std::function<Tensor()>& op,
                      const Tensor& seed) {
  for (const Tensor& leaf : leaves) leaf.gradient().clear();
  const Tape tape({.seed = 1, .step = 0, .part = 0});
  backward(op(), seed);
}

// Beside sgemm in any precision.
void linear_in(Precision precision, benchmark::State& state) {
  const ProductPrecision rounding(precision);
  const int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const LinearProducts raw(rows, in, out);
  const Tensor x = variable(raw.x), w = variable(raw.w), b = variable(filled({out}, 4));
  const Tensor seed = filled({rows, out}, 5);
  against(
      state,
      [&] {
        forward_backward(
            {x, w, b}, [&] { return linear(x, w, b); }, seed);
      },
      [&] { raw.run(); });
}
void Linear(benchmark::State& state) { linear_in(Precision::full, state); }
void LinearBfloat16(benchmark::State& state) { linear_in(Precision::bfloat16, state); }

// A copy that reads and writes as many bytes as the op must, in all.
std::function<void()> copy_of(Buffer<real>& from, Buffer<real>& to, int64_t numbers_moved) {
  const int64_t size = numbers_moved / 2;
  from = Buffer<real>(size);
  to = Buffer<real>(size);
  std::fill_n(from.data(), size, real(1));
  return [&from, &to, size] {
    parallel_for(size, 1 << 15, [&](int64_t b, int64_t e) {
      std::copy(from.data() + b, from.data() + e, to.data() + b);
    });
  };
}

// `moved`: numbers read and written for each element.
void elementwise(benchmark::State& state, int64_t rows, int64_t cols, int64_t moved,
                 const std::function<void()>& op) {
  Buffer<real> from, to;
  const double seconds = against(state, op, copy_of(from, to, moved * rows * cols));
  state.counters["per_ns_and_thread"] = double(rows * cols) / (1e9 * seconds * threads());
}

void ResidualNorm(benchmark::State& state) {
  const int64_t rows = state.range(0), cols = state.range(1);
  const Tensor x = variable(filled({rows, cols}, 1)), y = variable(filled({rows, cols}, 2));
  const Tensor gain = variable(filled({cols}, 3)), bias = variable(filled({cols}, 4));
  const Tensor seed = filled({rows, cols}, 5);
  // Forward: x, y in; out written. Backward: dout, out in; dx, dy written. And the seed's copy.
  elementwise(state, rows, cols, 9, [&] {
    forward_backward(
        {x, y, gain, bias}, [&] { return residual_norm(x, y, real(0.1), gain, bias); }, seed);
  });
}

void Unary(benchmark::State& state, Tensor (*op)(const Tensor&)) {
  const int64_t size = state.range(0);
  const Tensor x = filled({size}, 1);
  elementwise(state, 1, size, 2, [&] { benchmark::DoNotOptimize(op(x)); });
}

// The least that an op can cost: a copy by loads and stores, beside the library's, which spares the
// cache the reading of what it overwrites.
void Copy(benchmark::State& state) {
  const int64_t size = state.range(0);
  const Tensor x = filled({size}, 1), y({size});
  elementwise(state, 1, size, 2, [&] {
    parallel_for(size, 1 << 15,
                 [&](int64_t b, int64_t e) { map(e - b, y.data() + b, as_it_is, x.data() + b); });
  });
}

void Add(benchmark::State& state) {
  const int64_t size = state.range(0);
  const Tensor x = filled({size}, 1), y = filled({size}, 2);
  elementwise(state, 1, size, 3, [&] { benchmark::DoNotOptimize(x + y); });
}

void ReluOp(benchmark::State& state) { Unary(state, relu); }
void Exp(benchmark::State& state) { Unary(state, exp); }
void GeluOp(benchmark::State& state) { Unary(state, gelu); }

void Softmax(benchmark::State& state) {
  const int64_t rows = state.range(0), cols = state.range(1);
  const Tensor x = filled({rows, cols}, 1);
  elementwise(state, rows, cols, 2, [&] { benchmark::DoNotOptimize(softmax(x)); });
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

// 128 sentences of 10 to 40 tokens, 4 heads; beside the four projections of d_model 256.
void ShortAttention(benchmark::State& state) {
  const int64_t d = state.range(0);
  const Segments segments = sentences(128, 10, 40);
  const int64_t tokens = segments.tokens();
  const Tensor qkv = variable(filled({tokens, 3 * d}, 1)), seed = filled({tokens, d}, 2);
  const LinearProducts raw(tokens, 256, 256);
  against(
      state,
      [&] {
        forward_backward(
            {qkv}, [&] { return self_attention(qkv, segments, {.heads = 4}); }, seed);
      },
      [&] {
        for (int i = 0; i < 4; ++i) raw.run();
      });
}

// One sentence, 8 heads of 64: the rate of its products (2 forward, 5 backward) beside sgemm's.
void LongAttention(benchmark::State& state) {
  const int64_t n = state.range(0), d = 512;
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{static_cast<int32_t>(n)});
  const Tensor qkv = variable(filled({n, 3 * d}, 1)), seed = filled({n, d}, 2);
  const Tensor a = filled({1024, 1024}, 3), b = filled({1024, 1024}, 4), c({1024, 1024});
  const double flops = 7 * 2.0 * double(n) * double(n) * double(d);
  const int64_t before = memory_statistics().used;
  reset_peak_memory();
  against(
      state,
      [&] {
        forward_backward(
            {qkv}, [&] { return self_attention(qkv, segments, {.heads = 8}); }, seed);
      },
      [&] { sgemm(CblasNoTrans, CblasNoTrans, 1024, 1024, 1024, a.data(), b.data(), c.data()); });
  const double product = 2.0 * 1024 * 1024 * 1024;
  state.counters["share_of_sgemm_rate"] = flops / product / state.counters["ratio"];
  // Beyond inputs and outputs: what was used at most, less the gradient of qkv, the output and the
  // seed.
  state.counters["extra_MB"] =
      double(memory_statistics().peak - before - (3 + 1 + 1 + 1) * n * d * int64_t(sizeof(real))) /
      1e6;
}

void ProjectionLoss(benchmark::State& state) {
  const int64_t rows = state.range(0), vocabulary = state.range(1), d = state.range(2);
  const LinearProducts raw(rows, d, vocabulary);
  const Tensor x = variable(filled({rows, d}, 1)), w = variable(filled({vocabulary, d}, 2));
  std::vector<int32_t> expected;
  for (int64_t i = 0; i < rows; ++i) expected.push_back(static_cast<int32_t>(i * 37 % vocabulary));
  const int64_t before = memory_statistics().used;
  reset_peak_memory();
  against(
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
BENCHMARK(LinearBfloat16)->Apply(linear_shapes);
BENCHMARK(ResidualNorm)
    ->Args({4096, 128})
    ->Args({4096, 512})
    ->Args({16384, 2048})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Copy)->Arg(1 << 16)->Arg(1 << 25)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(Add)->Arg(1 << 16)->Arg(1 << 25)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ReluOp)->Arg(1 << 16)->Arg(1 << 25)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(Exp)->Arg(1 << 16)->Arg(1 << 25)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(GeluOp)->Arg(1 << 16)->Arg(1 << 25)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(Softmax)
    ->Args({4096, 512})
    ->Args({4096, 8000})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ShortAttention)->Arg(128)->Arg(256)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(LongAttention)->Arg(4096)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);
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
