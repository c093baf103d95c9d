// Attention over packed sentences: the ops. All three are the same problem with queries, keys and
// values in different places; the work is in attention_forward.cpp and attention_backward.cpp.

#include "core/attention_result.h"
#include "core/blas.h"
#include "core/ops/attention_kernel.h"
#include "core/parallel.h"
#include "core/profile.h"

namespace calque {

using namespace attention_kernel;

namespace {

Problem pose(const char* op, const Segments& queries, const Segments& keys, int64_t d,
             const AttentionOptions& options) {
  require(options.heads > 0 && d % options.heads == 0, "{}: {} columns in {} heads", op, d,
          options.heads);
  require(queries.count() == keys.count(), "{}: {} sentences of queries, {} of keys", op,
          queries.count(), keys.count());
  const int64_t head_size = d / options.heads;
  return {queries,
          keys,
          options.heads,
          head_size,
          options.causal,
          1 / std::sqrt(static_cast<real>(std::max<int64_t>(1, head_size))),
          next_dropout_mask(op, options.dropout),
          queries.longest(),
          keys.longest(),
          round_up(queries.longest(), cache_line)};
}

// Rows of d numbers, from some column of a tensor on: what is read of it, and where its gradient
// goes.
struct Operand {
  Operand(const Tensor& x, int64_t first)
      : values(x.values()), gradient(x.gradient()), col(first), stride(x.cols()) {}
  Values values;
  Gradient gradient;
  int64_t col, stride;

  Rows rows() const { return {values.data() + col, stride}; }
  // The gradient may be that of several operands, and is opened once for all.
  Sink open() const { return gradient ? gradient.open() : Sink{}; }
  RowSink sink(const Sink& opened) const {
    return opened.data ? RowSink{opened.data + col, stride, opened.add} : RowSink{};
  }
};

// What the op computes from, and the scales that it finds on the way.
struct Attention {
  Problem problem;
  Operand q, k, v;
  Values scales;

  void compute(real* out) const {
    forward(problem, q.rows(), k.rows(), v.rows(), out, scales.data());
  }
};

void check_rows(const char* op, const Tensor& x, const Segments& segments) {
  require(x.shape().axes() == 2 && x.rows() == segments.tokens(), "{}: {} for {} tokens", op,
          x.shape(), segments.tokens());
}

// How often a query meets a key that it sees.
double pairs_of(const Problem& p) {
  double pairs = 0;
  for (int64_t s = 0; s < p.queries.count(); ++s) {
    const auto queries = double(p.queries.length(s)), keys = double(p.keys.length(s));
    const double seeing = std::min(queries, keys);  // of causal queries the last, at most as many
    pairs += p.causal ? seeing * (keys - (seeing - 1) / 2) : queries * keys;
  }
  return pairs;
}

// Two products for every pair, each head's part of the columns; queries, keys, values and the
// result pass once.
Profile::Work work_of(const Problem& p, double pairs) {
  const auto d = double(p.heads * p.head_size);
  return {.flops = 4 * d * pairs,
          .bytes = 2 * d * double(p.queries.tokens() + p.keys.tokens()) * sizeof(real)};
}

// Not the result is kept but how to make it again.
Kept made_again(const char* op, const Tensor& out, const std::shared_ptr<const Attention>& given) {
  return Kept(out.values(), [op, given, numbers = out.size()](real* to) {
    given->compute(to);
    if (Profile* profile = Profile::current()) {
      profile->op_ended(op, Profile::Kind::again, numbers);
    }
  });
}

// Which operands lie side by side in one tensor.
enum class Packed { none, keys_values, all };

Tensor attend(const char* op, Problem problem, Packed packed, const Tensor& in_q,
              const Tensor& in_k, const Tensor& in_v) {
  const int64_t tokens = problem.queries.tokens(), d = problem.heads * problem.head_size;
  const bool kv_together = packed != Packed::none, all_together = packed == Packed::all;
  const int64_t k_col = all_together ? d : 0, v_col = kv_together ? k_col + d : 0;
  Values scales(2 * tokens * problem.heads);
  const auto given = std::make_shared<const Attention>(
      Attention{std::move(problem), Operand(in_q, 0), Operand(in_k, k_col), Operand(in_v, v_col),
                std::move(scales)});
  const double pairs = pairs_of(given->problem);
  const Profile::Work work = work_of(given->problem, pairs);
  count_work(work);
  const Tensor out({tokens, d});
  given->compute(out.data());
  const bool again =
      recording({&in_q, &in_k, &in_v}) && attention_is_made_again(pairs, double(tokens), d);
  const Kept kept = again ? made_again(op, out, given) : out.kept();
  const Tensor y = record(op, out, {&in_q, &in_k, &in_v}, [=](Gradient& dout) {
    const real* result = kept.data();
    count_work({2 * work.flops, 2 * work.bytes});  // as useful; scores come again
    const Attention& a = *given;
    const Sink to_q = a.q.open(), to_k = all_together ? to_q : a.k.open();
    const Sink to_v = kv_together ? to_k : a.v.open();
    backward(a.problem, a.q.rows(), a.k.rows(), a.v.rows(), result, a.scales.data(), dout.data(),
             {a.q.sink(to_q), a.k.sink(to_k), a.v.sink(to_v)});
  });
  return y.kept_as(kept);
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Segments& queries,
                 const Segments& keys, const AttentionOptions& options) {
  check_rows("attention", q, queries);
  check_rows("attention", k, keys);
  check_rows("attention", v, keys);
  require(q.cols() == k.cols() && q.cols() == v.cols(), "attention: q is {}, k {}, v {}", q.shape(),
          k.shape(), v.shape());
  // The gradients of one tensor's rows are written as queries, then added to as keys.
  require(queries == keys || (q.data() != k.data() && q.data() != v.data()),
          "attention: q is k or v, but the sentences of queries and keys differ");
  return attend("attention", pose("attention", queries, keys, q.cols(), options), Packed::none, q,
                k, v);
}

Tensor self_attention(const Tensor& qkv, const Segments& segments,
                      const AttentionOptions& options) {
  check_rows("self_attention", qkv, segments);
  require(qkv.cols() % 3 == 0, "self_attention: {} is not three equal parts", qkv.shape());
  const int64_t d = qkv.cols() / 3;
  return attend("self_attention", pose("self_attention", segments, segments, d, options),
                Packed::all, qkv, qkv, qkv);
}

Tensor cross_attention(const Tensor& q, const Tensor& kv, const Segments& queries,
                       const Segments& keys, const AttentionOptions& options) {
  check_rows("cross_attention", q, queries);
  check_rows("cross_attention", kv, keys);
  const int64_t d = q.cols();
  require(kv.cols() == 2 * d, "cross_attention: q is {} but kv is {}", q.shape(), kv.shape());
  require(q.data() != kv.data() || d == 0, "cross_attention: q and kv are one tensor");
  return attend("cross_attention", pose("cross_attention", queries, keys, d, options),
                Packed::keys_values, q, kv, kv);
}

std::vector<Tensor> attention_weights(const Tensor& q, const Tensor& k, const Segments& queries,
                                      const Segments& keys, const AttentionOptions& options) {
  check_rows("attention_weights", q, queries);
  check_rows("attention_weights", k, keys);
  require(q.cols() == k.cols(), "attention_weights: q is {} but k is {}", q.shape(), k.shape());
  const NoGradient off;
  const Problem problem = pose("attention_weights", queries, keys, q.cols(), options);
  std::vector<Tensor> weights;
  for (int64_t s = 0; s < queries.count(); ++s) {
    Tensor all = Tensor::zeros({problem.heads, queries.length(s), keys.length(s)});
    for (int64_t head = 0; head < problem.heads; ++head) {
      const Item item(problem, s * problem.heads + head);
      real* scores = all.data() + head * item.queries * item.keys;
      const Rows a = Rows{q.data(), q.cols()}.from(item.first_query, item.col);
      const Rows b = Rows{k.data(), k.cols()}.from(item.first_key, item.col);
      gemm({a.data, item.queries, problem.head_size, a.stride},
           transposed({b.data, item.keys, problem.head_size, b.stride}), Sink{scores, false},
           problem.scale);
      for (int64_t i = 0; i < item.queries; ++i) {
        const int64_t seen = item.visible(i);
        real* row = scores + i * item.keys;
        std::ranges::copy(
            softmax(Tensor::of({seen}, std::span<const real>(row, static_cast<size_t>(seen))))
                .span(),
            row);
        std::fill(row + seen, row + item.keys, real(0));
      }
    }
    weights.push_back(std::move(all));
  }
  return weights;
}

}  // namespace calque
