// The memory traffic of each optimiser's update, in bytes per second, beside the traffic of a copy,
// which is the limit. (Muon's limit is its products.) The arguments are about the numbers of
// parameters of the presets tiny and base.
//
//   build/release/bench/optimizer --benchmark_filter=Adam
#include "optim/optimizer.h"

#include <benchmark/benchmark.h>

#include "core/threads/parallel.h"
#include "optim/gradient_norm.h"
#include "optim/weight_average.h"

using namespace calque;

namespace {

// At least `count` parameters: matrices, each with a bias.
Parameters parameters_of(int64_t count) {
  Parameters parameters;
  for (int64_t i = 0; parameters.count() < count; ++i) {
    parameters.add(fmt::format("{}.weight", i), {512, 512}, Role::weight, normal(real(0.02)));
    parameters.add(fmt::format("{}.bias", i), {512}, Role::bias, constant(0));
  }
  parameters.allocate();
  parameters.initialise(1);
  for (const auto& entry : parameters.entries()) {
    fill_normal({.seed = 2}, 0, 1, {entry.tensor.gradient().open().data, entry.values().size()});
  }
  return parameters;
}

// passes: how many buffers of the flat size are read or written.
void report(benchmark::State& state, int64_t numbers, int64_t passes) {
  state.SetBytesProcessed(state.iterations() * passes * numbers * int64_t{sizeof(real)});
}

void Copy(benchmark::State& state) {
  const Parameters parameters = parameters_of(state.range(0));
  const real* from = parameters.values().data();
  Buffer<real> copied = zeros(parameters.flat_size());
  real* to = copied.data();
  for ([[maybe_unused]] const auto _ : state) {
    for_rows(parameters.flat_size(), 1,
             [&](int64_t begin, int64_t end) { std::copy(from + begin, from + end, to + begin); });
  }
  report(state, parameters.flat_size(), 2);
}

void GradientNorm(benchmark::State& state) {
  const Parameters parameters = parameters_of(state.range(0));
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(gradient_norm(parameters));
  report(state, parameters.flat_size(), 1);
}

// The whole update, the pass for the gradient norm included.
void update(benchmark::State& state, const OptimizerSettings& settings, int64_t passes) {
  Parameters parameters = parameters_of(state.range(0));
  Optimizer optimizer(parameters, settings, 1);
  for ([[maybe_unused]] const auto _ : state) optimizer.update(parameters, 1e-4);
  report(state, parameters.flat_size(), passes);
}
void Adam8(benchmark::State& state) { update(state, AdamSettings{}, 8); }
void AdamW8(benchmark::State& state) { update(state, AdamSettings{.decay = {.rate = 0.01}}, 8); }
void Momentum6(benchmark::State& state) { update(state, SgdSettings{.momentum = 0.9}, 6); }
void Adafactor7(benchmark::State& state) { update(state, AdafactorSettings{}, 7); }

void Muon6(benchmark::State& state) { update(state, MuonSettings{}, 6); }

void Average(benchmark::State& state) {
  const Parameters parameters = parameters_of(state.range(0));
  WeightAverage average(parameters, {});
  int64_t step = 0;
  for ([[maybe_unused]] const auto _ : state) average.follow(parameters, ++step);
  report(state, parameters.flat_size(), 3);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(2'400'000)->Arg(48'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(Copy)->Apply(sizes);
BENCHMARK(GradientNorm)->Apply(sizes);
BENCHMARK(Adam8)->Name("Adam")->Apply(sizes);
BENCHMARK(AdamW8)->Name("AdamW")->Apply(sizes);
BENCHMARK(Momentum6)->Name("Momentum")->Apply(sizes);
BENCHMARK(Adafactor7)->Name("Adafactor")->Apply(sizes);
BENCHMARK(Muon6)->Name("Muon")->Apply(sizes);
BENCHMARK(Average)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
