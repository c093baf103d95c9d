#include "core/tape.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/profile.h"
#include "core/threads/parallel.h"
#include "core/trace.h"

namespace calque {
namespace {

thread_local Recording* innermost = nullptr;

uint64_t next_tape_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// x * 0 is 0 for every finite x and NaN otherwise, and NaN stays in a sum.
bool all_finite(std::span<const real> values) {
  const auto part = [&](int64_t begin, int64_t end) {
    real sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += values[i] * 0;
    return sum;
  };
  return parallel_reduce(static_cast<int64_t>(values.size()), 65536, real(0), part,
                         std::plus<real>()) == 0;
}

}  // namespace

Recording::Recording(Tape* tape) : tape_(tape), outer_(std::exchange(innermost, this)) {}

Recording::~Recording() {
  Recording** link = &innermost;
  while (*link && *link != this) link = &(*link)->outer_;
  if (*link) *link = outer_;
}

Tape* Recording::current() { return innermost ? innermost->tape_ : nullptr; }

Tape::Tape(const Randomness& randomness, Check check, Trace* trace)
    : randomness_(randomness), check_(check), id_(next_tape_id()), trace_(trace), scope_(this) {
  if (Profile* profile = Profile::current()) profile->mark();
  if (trace_) trace_->begin();
}

void Tape::check_values(const char* op, const char* what, std::span<const real> values) const {
  if (check_ == Check::finite && !all_finite(values)) {
    throw NotFinite(fmt::format("{} of op {} ({}) is not finite", what, recorded(), op));
  }
}

bool recording(std::span<const Tensor* const> inputs) {
  const Tape* tape = Tape::current();
  if (!tape) return false;
  bool wanted = false;
  for (const Tensor* input : inputs) {
    if (!*input || !input->gradient()) continue;
    const uint64_t id = input->gradient().tape();
    require(
        id == 0 || (id == tape->id_ && !tape->ended_),
        "an op uses a tensor of shape {} whose graph has been freed, or that belongs to another "
        "tape; use detached() to keep its values",
        input->shape());
    wanted = true;
  }
  if (tape->trace_ && wanted) tape->trace_->inputs(inputs);
  return wanted && !tape->ended_;
}

Tensor attach(const char* op, const Tensor& y, int64_t numbers, Tape::Backward closure) {
  if (Profile* profile = Profile::current()) {
    profile->op_ended(op, Profile::Kind::forward, numbers);
  }
  Tape& tape = *Tape::current();
  tape.check_values(op, "the output", y.span());
  Gradient dy = Gradient::of_size(y.size(), tape.id_);
  if (tape.trace_) tape.trace_->forward(op, y.shape(), dy);
  tape.steps_.push_back({op, numbers, dy, std::move(closure)});
  return Tensor(y.shape(), y.values(), std::move(dy));
}

Stream next_random_stream() {
  Tape* tape = Tape::current();
  require(tape != nullptr, "next_random_stream: there is no tape to take randomness from");
  const Tape::Randomness& from = tape->randomness_;
  return {from.seed, from.step, from.part, tape->streams_++};
}

void Tape::add_loss(const Tensor& term) {
  require(term.size() == 1, "Tape::add_loss: {} is not a single number", term.shape());
  if (recording({&term})) current()->added_.push_back(term);
}

double Tape::added_loss() const {
  double sum = 0;
  for (const Tensor& term : added_) sum += double(term.item());
  return sum;
}

void Tape::start(const Tensor& y, const Tensor& seed) const {
  Gradient from = variable(seed).gradient();
  const Sink sink = from.open();
  parallel_for(seed.size(), 65536, [&](int64_t begin, int64_t end) {
    std::copy(seed.data() + begin, seed.data() + end, sink.data + begin);
  });
  y.gradient().accept(from);
}

// Nothing depends on the output of a step whose gradient is untouched: its closure is not called.
void Tape::run() {
  Profile* profile = Profile::current();
  if (profile) profile->mark();
  if (trace_) trace_->begin();
  while (!steps_.empty()) {
    Step step = std::move(steps_.back());
    steps_.pop_back();
    if (step.dy.touched()) {
      check_values(step.op, "the gradient of the output", step.dy.span());
      step.closure(step.dy);
      if (trace_) trace_->backward(steps_.size());
      // An estimate: the closure reads dy and the inputs and writes their gradients.
      if (profile) profile->op_ended(step.op, Profile::Kind::backward, 2 * step.numbers);
    }
    step.dy.discard();
  }
}

void backward(const Tensor& y, const Tensor& seed) {
  Tape* tape = Tape::current();
  require(tape != nullptr, "backward: there is no tape");
  require(y && y.gradient().tape() == tape->id_,
          "backward: the tensor of shape {} was not recorded on the current tape", y.shape());
  require(!tape->ended_, "backward: the graph has been freed; a tape runs backward once");
  require(y.shape() == seed.shape(), "backward: the seed is {} but the tensor is {}", seed.shape(),
          y.shape());
  require(tape->added_.empty() || seed.size() == 1,
          "backward: the tape has losses of modules, which need a loss that is a single number");
  tape->ended_ = true;
  tape->start(y, seed);
  for (const Tensor& term : std::exchange(tape->added_, {})) {
    tape->start(term, Tensor::full(term.shape(), seed.item()));
  }
  tape->run();
}

void backward(const Tensor& y, real scale) {
  require(y && y.size() == 1, "backward: the tensor is {}, not a single number; give a seed",
          y.shape());
  backward(y, Tensor::full(y.shape(), scale));
}

}  // namespace calque
