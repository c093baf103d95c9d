// What a profile records of ops and phases, and that nothing is recorded without one.
#include "core/profile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "core/ops.h"
#include "support/threads.h"

using namespace calque;

namespace {

using Kind = Profile::Kind;

void step(const Tensor& x, const Tensor& w) {
  const Tape tape;
  backward(sum(relu(matmul(x, w))));
}

}  // namespace

TEST_CASE("a profile counts each op forward and backward, with the FLOPs of its products") {
  const Tensor x = variable(Tensor::full({8, 16}, 1)), w = variable(Tensor::full({16, 4}, 1));
  Profile profile;
  {
    const Profiling on(profile);
    for (int i = 0; i < 3; ++i) step(x, w);
  }
  const Profile::Sum forward = profile.sum_of("matmul", Kind::forward);
  CHECK(forward.calls == 3);
  CHECK(forward.work.flops == 3 * 2 * 8 * 16 * 4);
  CHECK(forward.work.bytes == 3 * sizeof(real) * (8 * 16 + 16 * 4 + 8 * 4));
  const Profile::Sum back = profile.sum_of("matmul", Kind::backward);
  CHECK(back.calls == 3);
  CHECK(back.work.flops == 2 * forward.work.flops);
  CHECK(profile.sum_of("relu", Kind::forward).work.flops == 0);
  CHECK(profile.sum_of("never", Kind::forward).calls == 0);
}

TEST_CASE("a batch of products counts all of them, on however many threads they run") {
  const Tensor x = variable(Tensor::full({50, 8, 16}, 1)), w = Tensor::full({50, 16, 4}, 1);
  const Threads threads(2);
  Profile profile;
  {
    const Profiling on(profile);
    step(x, w);
  }
  const double once = 50.0 * 2 * 8 * 16 * 4;
  CHECK(profile.sum_of("matmul", Kind::forward).work.flops == once);
  CHECK(profile.sum_of("matmul", Kind::backward).work.flops == once);  // w has no gradient
}

TEST_CASE("attention counts the pairs of queries and keys, and embedding only the rows it reads") {
  const Segments sentences = Segments::of_lengths(std::vector<int32_t>{3, 5});
  const Tensor qkv = variable(Tensor::full({8, 3 * 4}, 1));
  const Tensor table = variable(Tensor::full({100, 4}, 1));
  Profile profile;
  {
    const Profiling on(profile);
    const Tape tape;
    const Tensor a = self_attention(qkv, sentences, {.heads = 2, .causal = true});
    const Tensor e = embedding(table, std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}, 1);
    backward(sum(a + e));
  }
  const double pairs = (3 * 4 + 5 * 6) / 2.0;
  CHECK(profile.sum_of("self_attention", Kind::forward).work.flops == 4 * 4 * pairs);
  CHECK(profile.sum_of("self_attention", Kind::backward).work.flops == 8 * 4 * pairs);
  CHECK(profile.sum_of("embedding", Kind::forward).work.bytes == 2 * sizeof(real) * 8 * 4);
}

TEST_CASE(
    "the FLOPs of a thread are counted once, with or without a profile, on any thread count") {
  const Tensor x = variable(Tensor::full({50, 8, 16}, 1)),
               w = variable(Tensor::full({50, 16, 4}, 1));
  const Threads as_before;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const double before = counted_flops();
    step(x, w);
    const double between = counted_flops();
    CHECK(between - before == 3 * 50.0 * 2 * 8 * 16 * 4);
    Profile profile;
    const Profiling on(profile);
    step(x, w);
    CHECK(counted_flops() - between == between - before);
  }
  const double before = counted_flops();
  std::thread([&] {
    CHECK(counted_flops() == 0);
    step(x, w);
    CHECK(counted_flops() > 0);
  }).join();
  CHECK(counted_flops() == before);
}

TEST_CASE("attention that is recomputed in the backward pass counts its FLOPs once") {
  const Segments sentences = Segments::of_lengths(std::vector<int32_t>{3, 3});
  const Tensor qkv = variable(Tensor::full({6, 3 * 256}, real(0.01)));
  const Tensor w = variable(Tensor::full({256, 4}, 1));
  const double before = counted_flops();
  {
    const Tape tape;
    const Tensor y = linear(self_attention(qkv, sentences, {.heads = 4}), w);
    backward(sum(y));
  }
  CHECK(counted_flops() - before == 3 * (4 * 256 * 18 + 2 * 6 * 256 * 4));
}

TEST_CASE("ops follow one another without overlap, inside the phase around them") {
  const Tensor x = variable(Tensor::full({64, 64}, 1));
  Profile profile;
  {
    const Profiling on(profile);
    const Phase phase("everything");
    step(x, x);
  }
  const std::vector<Profile::Event>& events = profile.events();
  REQUIRE(events.size() == 7);  // three ops forward and backward, then the phase
  const Profile::Event& phase = events.back();
  CHECK(std::string(phase.name) == "everything");
  double end = phase.start;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    CHECK(events[i].start >= end);
    end = events[i].start + events[i].seconds;
  }
  CHECK(end <= phase.start + phase.seconds);
}

TEST_CASE("nothing is recorded after the scope, nor on another thread") {
  const Tensor x = variable(Tensor::full({2, 2}, 1));
  Profile profile;
  {
    const Profiling on(profile);
    std::thread([&] {
      CHECK(Profile::current() == nullptr);
      step(x, x);
    }).join();
  }
  CHECK(Profile::current() == nullptr);
  step(x, x);
  const Phase phase("outside");
  CHECK(profile.sums().empty());
}

TEST_CASE("the number of events is limited, but the sums count all calls") {
  const Tensor x = variable(Tensor::full({2, 2}, 1));
  Profile profile(10);
  const Profiling on(profile);
  for (int i = 0; i < 5; ++i) step(x, x);
  CHECK(profile.events().size() == 10);
  CHECK(profile.sum_of("matmul", Kind::backward).calls == 5);
}
