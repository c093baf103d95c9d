// Attention over packed sentences: the ops. All three are the same problem with queries, keys and
// values in different places; the work is in attention_forward.cpp and attention_backward.cpp.

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
          round_up(keys.longest(), DropoutMask::group)};
}

// A tensor of rows, and from which column on it is read.
struct Part {
  const Tensor* tensor;
  int64_t col;
  Rows rows() const { return {tensor->data() + col, tensor->cols()}; }
};

void check_rows(const char* op, const Tensor& x, const Segments& segments) {
  require(x.shape().axes() == 2 && x.rows() == segments.tokens(), "{}: {} for {} tokens", op,
          x.shape(), segments.tokens());
}

// The gradients that are wanted, each tensor's opened once.
struct Wanted {
  Gradient gradient;
  int64_t col, stride;
};

RowSink sink_of(const Wanted& wanted, const Sink& sink) {
  return sink.data ? RowSink{sink.data + wanted.col, wanted.stride, sink.add} : RowSink{};
}

// Two products of every query with the keys that it sees, each head's part of the columns; queries,
// keys, values and the result pass once.
Profile::Work work_of(const Problem& p) {
  double pairs = 0;
  for (int64_t s = 0; s < p.queries.count(); ++s) {
    const auto queries = double(p.queries.length(s)), keys = double(p.keys.length(s));
    const double seeing = std::min(queries, keys);  // of causal queries the last, at most as many
    pairs += p.causal ? seeing * (keys - (seeing - 1) / 2) : queries * keys;
  }
  const auto d = double(p.heads * p.head_size);
  return {.flops = 4 * d * pairs,
          .bytes = 2 * d * double(p.queries.tokens() + p.keys.tokens()) * sizeof(real)};
}

Tensor attend(const char* op, Problem problem, Part q, Part k, Part v) {
  const int64_t tokens = problem.queries.tokens();
  Tensor out({tokens, problem.heads * problem.head_size});
  Values scales(2 * tokens * problem.heads);
  const Profile::Work work = Profile::current() ? work_of(problem) : Profile::Work{};
  count_work(work);
  forward(problem, q.rows(), k.rows(), v.rows(), out.data(), scales.data());
  const auto wanted = [](const Part& part) {
    return Wanted{part.tensor->gradient(), part.col, part.tensor->cols()};
  };
  const bool kv_together = k.tensor == v.tensor, all_together = kv_together && q.tensor == k.tensor;
  return record(op, out, {q.tensor, k.tensor, v.tensor},
                [=, problem = std::move(problem), qv = q.tensor->values(), kv = k.tensor->values(),
                 vv = v.tensor->values(), out = out.values(), dq = wanted(q), dk = wanted(k),
                 dv = wanted(v), qc = q.col, kc = k.col, vc = v.col](Gradient& dout) {
                  count_work({2 * work.flops, 2 * work.bytes});  // as useful; scores come again
                  const auto open = [](const Wanted& w) {
                    return w.gradient ? w.gradient.open() : Sink{};
                  };
                  const Sink to_q = open(dq), to_k = all_together ? to_q : open(dk);
                  const Sink to_v = kv_together ? to_k : open(dv);
                  backward(problem, {qv.data() + qc, dq.stride}, {kv.data() + kc, dk.stride},
                           {vv.data() + vc, dv.stride}, out.data(), scales.data(), dout.data(),
                           {sink_of(dq, to_q), sink_of(dk, to_k), sink_of(dv, to_v)});
                });
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
  // Handles of its own for each, so that one tensor given twice gets both its gradients.
  const Tensor own_k = k, own_v = v;
  return attend("attention", pose("attention", queries, keys, q.cols(), options), {&q, 0},
                {&own_k, 0}, {&own_v, 0});
}

Tensor self_attention(const Tensor& qkv, const Segments& segments,
                      const AttentionOptions& options) {
  check_rows("self_attention", qkv, segments);
  require(qkv.cols() % 3 == 0, "self_attention: {} is not three equal parts", qkv.shape());
  const int64_t d = qkv.cols() / 3;
  return attend("self_attention", pose("self_attention", segments, segments, d, options), {&qkv, 0},
                {&qkv, d}, {&qkv, 2 * d});
}

Tensor cross_attention(const Tensor& q, const Tensor& kv, const Segments& queries,
                       const Segments& keys, const AttentionOptions& options) {
  check_rows("cross_attention", q, queries);
  check_rows("cross_attention", kv, keys);
  const int64_t d = q.cols();
  require(kv.cols() == 2 * d, "cross_attention: q is {} but kv is {}", q.shape(), kv.shape());
  return attend("cross_attention", pose("cross_attention", queries, keys, d, options), {&q, 0},
                {&kv, 0}, {&kv, d});
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
