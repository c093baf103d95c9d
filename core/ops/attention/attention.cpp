// The ops of attention over packed sentences. They differ only in which tensors hold queries, keys
// and values. The kernels are in forward.cpp and backward.cpp.

#include "core/ops/attention/kernel.h"
#include "core/products/blas.h"
#include "core/profile.h"
#include "core/threads/parallel.h"

namespace calque {

using namespace attention_kernel;

namespace {

// `d` is the number of columns of the queries.
Problem problem_of(const char* op, const Segments& queries, const Segments& keys, int64_t d,
                   const AttentionOptions& options) {
  require(options.heads > 0 && d % options.heads == 0,
          "{}: {} columns cannot be divided into {} heads", op, d, options.heads);
  require(options.key_heads >= 0 && options.heads % options.heads_of_keys() == 0,
          "{}: {} heads of queries cannot share {} heads of keys", op, options.heads,
          options.key_heads);
  require(queries.count() == keys.count(), "{}: {} sentences of queries, {} of keys", op,
          queries.count(), keys.count());
  require(options.sparsity.window == 0 || queries == keys,
          "{}: sparse attention requires queries and keys of the same sentences", op);
  const int64_t head_size = d / options.heads;
  return {.queries = queries,
          .keys = keys,
          .heads = options.heads,
          .key_heads = options.heads_of_keys(),
          .head_size = head_size,
          .causal = options.causal,
          .sparsity = options.sparsity,
          .scale = score_scale(options, head_size),
          .cap = options.cap,
          .mask = next_dropout_mask(op, options.dropout),
          .most_queries = queries.longest(),
          .most_keys = keys.longest(),
          .mask_row = round_up(queries.longest(), cache_line)};
}

// The number of columns of keys and of values.
int64_t key_width(const Problem& p) { return p.key_heads * p.head_size; }

void check_rows(const char* op, const Tensor& x, const Segments& segments) {
  require(x.shape().axes() == 2 && x.rows() == segments.tokens(), "{}: {} for {} tokens", op,
          x.shape(), segments.tokens());
}

// The number of pairs of a query and a key that the query sees.
double pairs_of(const Problem& p) {
  double pairs = 0;
  for (int64_t s = 0; s < p.queries.count(); ++s) {
    if (p.sparsity.window > 0) {
      pairs += pairs_seen(p.sparsity, p.keys.length(s), p.causal);
      continue;
    }
    const auto queries = double(p.queries.length(s)), keys = double(p.keys.length(s));
    // With the causal mask the last query sees all keys, and each earlier query one key fewer.
    const double seeing = std::min(queries, keys);
    pairs += p.causal ? seeing * (keys - (seeing - 1) / 2) : queries * keys;
  }
  return pairs;
}

// Counts two products per pair, and one read or write of queries, keys, values and the result.
Profile::Work work_of(const Problem& p) {
  const auto d = double(p.heads * p.head_size);
  return {
      .flops = 4 * d * pairs_of(p),
      .bytes = 2 *
               (d * double(p.queries.tokens()) + double(key_width(p)) * double(p.keys.tokens())) *
               sizeof(real)};
}

// The columns of a tensor from `col` on. If col > 0, the operand before this one (in the order q,
// k, v) is in the same tensor.
struct Operand {
  Tensor x;
  int64_t col = 0;

  Rows rows() const { return {x.data() + col, x.cols()}; }
  Sink open() const { return x.gradient().open_if_wanted(); }
  Destination part_of(const Sink& gradient) const {
    return gradient.data ? Destination{{gradient.data + col, gradient.add}, x.cols()}
                         : Destination{};
  }
};

Tensor attend(const char* op, const Problem& problem, const Operand& q, const Operand& k,
              const Operand& v) {
  const int64_t tokens = problem.queries.tokens();
  const Profile::Work work = work_of(problem);
  count_work(work);
  const Values scales(2 * tokens * problem.heads);
  const Tensor out({tokens, problem.heads * problem.head_size});
  forward(problem, q.rows(), k.rows(), v.rows(), out.data(), scales.data());
  return record(op, out, {&q.x, &k.x, &v.x}, [=, out = out.values()](Gradient& dout) {
    count_work({2 * work.flops, 2 * work.bytes});  // the recomputed scores are not useful work
    // A gradient that several operands share is opened once.
    const Sink dq = q.open(), dk = k.col > 0 ? dq : k.open(), dv = v.col > 0 ? dk : v.open();
    backward(problem, q.rows(), k.rows(), v.rows(), out.data(), scales.data(), dout.data(),
             {q.part_of(dq), k.part_of(dk), v.part_of(dv)});
  });
}

// Replaces a row of scores by the softmax over the keys in the ranges, and by 0 elsewhere.
void weigh_seen(const std::vector<KeyRange>& ranges, std::span<real> row) {
  std::vector<real> seen;
  for (const KeyRange& range : ranges) {
    for (int64_t j = range.begin; j < range.end; j += range.step) seen.push_back(row[j]);
  }
  const Tensor weights = softmax(Tensor::of({std::ssize(seen)}, seen));
  std::ranges::fill(row, real(0));
  const real* next = weights.data();
  for (const KeyRange& range : ranges) {
    for (int64_t j = range.begin; j < range.end; j += range.step) row[j] = *next++;
  }
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Segments& queries,
                 const Segments& keys, const AttentionOptions& options) {
  check_rows("attention", q, queries);
  check_rows("attention", k, keys);
  check_rows("attention", v, keys);
  const Problem problem = problem_of("attention", queries, keys, q.cols(), options);
  require(k.cols() == key_width(problem) && v.cols() == key_width(problem),
          "attention: q is {}, k {}, v {}, with {} heads of queries and {} of keys", q.shape(),
          k.shape(), v.shape(), problem.heads, problem.key_heads);
  // If q is also k or v, the backward pass writes the gradient of a sentence's queries and then
  // adds that of its keys and values to the same rows.
  require(queries == keys || (q.data() != k.data() && q.data() != v.data()),
          "attention: q is the same tensor as k or v, but the sentences differ");
  return attend("attention", problem, {q}, {k}, {v});
}

Tensor self_attention(const Tensor& qkv, const Segments& segments,
                      const AttentionOptions& options) {
  check_rows("self_attention", qkv, segments);
  const int64_t heads = options.heads + 2 * options.heads_of_keys();
  require(heads > 0 && qkv.cols() % heads == 0,
          "self_attention: the columns of {} cannot be divided into {} heads of queries and 2 x {} "
          "of keys and values",
          qkv.shape(), options.heads, options.heads_of_keys());
  const int64_t d = qkv.cols() / heads * options.heads;
  const Problem problem = problem_of("self_attention", segments, segments, d, options);
  return attend("self_attention", problem, {qkv}, {qkv, d}, {qkv, d + key_width(problem)});
}

Tensor cross_attention(const Tensor& q, const Tensor& kv, const Segments& queries,
                       const Segments& keys, const AttentionOptions& options) {
  check_rows("cross_attention", q, queries);
  check_rows("cross_attention", kv, keys);
  const int64_t d = q.cols();
  const Problem problem = problem_of("cross_attention", queries, keys, d, options);
  require(kv.cols() == 2 * key_width(problem), "cross_attention: q is {} but kv is {}", q.shape(),
          kv.shape());
  require(q.data() != kv.data() || d == 0, "cross_attention: q and kv are one tensor");
  return attend("cross_attention", problem, {q}, {kv}, {kv, key_width(problem)});
}

std::vector<Tensor> attention_weights(const Tensor& q, const Tensor& k, const Segments& queries,
                                      const Segments& keys, const AttentionOptions& options) {
  check_rows("attention_weights", q, queries);
  check_rows("attention_weights", k, keys);
  const NoGradient off;
  const Problem problem = problem_of("attention_weights", queries, keys, q.cols(), options);
  require(k.cols() == key_width(problem), "attention_weights: q is {} but k is {}", q.shape(),
          k.shape());
  std::vector<Tensor> weights;
  for (int64_t s = 0; s < queries.count(); ++s) {
    Tensor all = Tensor::zeros({problem.heads, queries.length(s), keys.length(s)});
    for (int64_t head = 0; head < problem.heads; ++head) {
      const Item item(problem, s * problem.heads + head);
      real* scores = all.data() + head * item.queries * item.keys;
      const Rows a = Rows{q.data(), q.cols()}.from(item.first_query, item.col);
      const Rows b = Rows{k.data(), k.cols()}.from(item.first_key, item.key_col);
      gemm({a.data, item.queries, problem.head_size, a.stride},
           transposed({b.data, item.keys, problem.head_size, b.stride}), Sink{scores, false},
           problem.scale);
      cap_scores(problem.cap, item.queries * item.keys, scores);
      for (int64_t i = 0; i < item.queries; ++i) {
        weigh_seen(item.seen(i), {scores + i * item.keys, static_cast<size_t>(item.keys)});
      }
    }
    weights.push_back(std::move(all));
  }
  return weights;
}

}  // namespace calque
