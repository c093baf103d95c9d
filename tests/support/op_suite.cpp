#include "support/op_suite.h"

#include "core/rotation.h"

namespace calque {
namespace {

using Inputs = const std::vector<Tensor>&;

Tensor positive(Tensor x) {
  for (real& v : x.span()) v = std::abs(v) + real(0.5);
  return x;
}

// Away from 0, where relu has no derivative.
Tensor off_zero(Tensor x) {
  for (real& v : x.span()) v += v < 0 ? real(-0.1) : real(0.1);
  return x;
}

std::vector<int32_t> some_ids(int64_t count, int64_t limit) {
  Random random({.seed = 5});
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(limit))));
  }
  return ids;
}

Segments lengths(std::vector<int32_t> sizes) { return Segments::of_lengths(sizes); }

using List = std::vector<OpCase>;

void add_unary(List& list, const Shape& s) {
  const Tensor x = random_tensor(s, 3);
  const auto add = [&](const char* name, const Tensor& in, Tensor (*op)(const Tensor&)) {
    list.push_back({fmt::format("{} {}", name, s), {in}, [op](Inputs in2) { return op(in2[0]); }});
  };
  add("exp", x, exp), add("log", positive(random_tensor(s, 3)), log), add("square", x, square);
  add("sqrt", positive(random_tensor(s, 3)), sqrt), add("tanh", x, tanh);
  add("sigmoid", x, sigmoid), add("relu", off_zero(random_tensor(s, 3)), relu);
  add("gelu", x, gelu), add("gelu_tanh", x, gelu_tanh), add("silu", x, silu);
  add("softmax", x, softmax), add("log_softmax", x, log_softmax), add("sum", x, sum);
  add("sum_of_rows", x, sum_of_rows), add("sum_in_rows", x, sum_in_rows);
  if (x.size() > 0) {
    add("mean", x, mean), add("mean_in_rows", x, mean_in_rows), add("max_in_rows", x, max_in_rows);
  }
  if (s.axes() > 1) add("transpose", x, transpose);
  if (s.cols() % 2 == 0) {
    add("swiglu", x, swiglu), add("geglu", x, geglu), add("geglu_tanh", x, geglu_tanh);
  }
  list.push_back(
      {fmt::format("affine {}", s), {x}, [](Inputs in) { return affine(in[0], 3, -2); }});
  list.push_back(
      {fmt::format("dropout {}", s), {x}, [](Inputs in) { return dropout(in[0], real(0.4)); }});
}

void add_binary(List& list, const Shape& a, const Shape& b) {
  const auto add = [&](const char* name, Tensor (*op)(const Tensor&, const Tensor&)) {
    list.push_back({fmt::format("{} {} {}", name, a, b),
                    {random_tensor(a, 1), positive(random_tensor(b, 2))},
                    [op](Inputs in) { return op(in[0], in[1]); }});
  };
  add("add", operator+), add("subtract", operator-);
  add("multiply", operator*), add("divide", operator/);
}

void add_matmul(List& list, std::vector<int64_t> batch, int64_t m, int64_t k, int64_t n) {
  for (const Transpose t : {Transpose::none, Transpose::left, Transpose::right, Transpose::both}) {
    const bool left = t == Transpose::left || t == Transpose::both;
    const bool right = t == Transpose::right || t == Transpose::both;
    std::vector<int64_t> a = batch, b = batch;
    a.insert(a.end(), {left ? k : m, left ? m : k});
    b.insert(b.end(), {right ? n : k, right ? k : n});
    list.push_back({fmt::format("matmul {} {}", Shape(a), Shape(b)),
                    random_tensors({Shape(a), Shape(b)}),
                    [t](Inputs in) { return matmul(in[0], in[1], t); }});
  }
}

void add_linear(List& list, int64_t rows, int64_t in, int64_t out) {
  const std::vector<Tensor> x = random_tensors({{rows, in}, {in, out}, {out}});
  for (const Activation a :
       {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh,
        Activation::silu, Activation::swiglu, Activation::geglu, Activation::geglu_tanh}) {
    if (gated(a) && out % 2 != 0) continue;
    list.push_back({fmt::format("linear {} [{}, {}, {}]", int(a), rows, in, out), x,
                    [a](Inputs t) { return linear(t[0], t[1], t[2], a); }});
  }
  list.push_back({fmt::format("linear without bias [{}, {}, {}]", rows, in, out),
                  {x[0], x[1]},
                  [](Inputs t) { return linear(t[0], t[1]); }});
}

// Two parts of unequal width, each of rank 2, over frozen weights.
void add_adapted_linear(List& list, int64_t rows, int64_t in, int64_t out) {
  const int64_t first = out / 3;
  const std::vector<Tensor> x =
      random_tensors({{rows, in}, {in, 4}, {2, first}, {2, out - first}, {in, out}, {out}});
  for (const real p : {real(0), real(0.3)}) {
    for (const Activation a : {Activation::none, Activation::gelu}) {
      list.push_back({fmt::format("adapted_linear {} {} [{}, {}, {}]", int(a), p, rows, in, out),
                      {x[0], x[1], x[2], x[3]},
                      [a, p, w = x[4], bias = x[5]](Inputs t) {
                        const std::array b = {t[2], t[3]};
                        return adapted_linear(t[0], w, bias, t[1], b, real(0.7), p, a);
                      }});
    }
  }
}

void add_layout(List& list, int64_t rows, int64_t cols) {
  const std::vector<Tensor> x = random_tensors({{rows, cols}, {rows, cols}});
  const auto add = [&](const char* name, Function f) {
    list.push_back({fmt::format("{} [{}, {}]", name, rows, cols), x, std::move(f)});
  };
  add("slice_rows", [=](Inputs t) { return slice_rows(t[0], rows / 3, rows - rows / 4); });
  add("slice_cols", [=](Inputs t) { return slice_cols(t[1], cols / 3, cols - cols / 4); });
  add("concat_rows", [](Inputs t) { return concat_rows(t); });
  add("concat_cols", [](Inputs t) { return concat_cols(t); });
  add("gather_rows", [=](Inputs t) { return gather_rows(t[0], some_ids(2 * rows + 1, rows)); });
  add("pick_cols", [=](Inputs t) { return pick_cols(t[0], some_ids(2 * rows, cols)); });
  if (rows % 2 == 0) {
    std::vector<int32_t> halves(rows);  // each row once, except the last
    for (int64_t r = 0; r < rows; ++r) halves[r] = static_cast<int32_t>(r + 1 < rows ? r : -1);
    add("mix_rows", [=](Inputs t) {
      return mix_rows(t[0], slice_cols(t[1].reshaped({rows / 2, 2 * cols}), 0, 2), halves);
    });
  }
  add("reshaped", [=](Inputs t) {
    return square(t[0].reshaped({cols, rows})) * t[1].reshaped({cols, rows});
  });
  list.push_back({fmt::format("swap_axes [2, {}, 3, {}]", rows, cols),
                  {random_tensor({2, rows, 3, cols}, 3)},
                  [](Inputs t) { return swap_axes(swap_axes(t[0], 0, 2), 1, 3); }});
}

void add_norms(List& list, int64_t rows, int64_t cols) {
  const std::vector<Tensor> x = random_tensors({{rows, cols}, {rows, cols}, {cols}, {cols}});
  const auto add = [&](const char* name, Function f) {
    list.push_back({fmt::format("{} [{}, {}]", name, rows, cols), x, std::move(f)});
  };
  add("layer_norm", [](Inputs t) { return layer_norm(t[0], t[2], t[3]); });
  add("rms_norm", [](Inputs t) { return rms_norm(t[0], t[2]); });
  add("residual", [](Inputs t) { return residual(t[0], t[1], real(0.3)); });
  add("residual_norm", [](Inputs t) { return residual_norm(t[0], t[1], real(0.3), t[2], t[3]); });
  add("residual_norm rms", [](Inputs t) { return residual_norm(t[0], t[1], 0, t[2], {}); });
}

void add_tokens(List& list, int64_t vocabulary, int64_t cols, const Segments& segments) {
  const int64_t tokens = segments.tokens();
  list.push_back({fmt::format("embedding [{}, {}]", vocabulary, cols),
                  random_tensors({{vocabulary, cols}}),
                  [=](Inputs t) { return embedding(t[0], some_ids(tokens, vocabulary), 3); }});
  list.push_back({fmt::format("embedding [{}, {}], some tokens missing", vocabulary, cols),
                  random_tensors({{vocabulary, cols}}), [=](Inputs t) {
                    std::vector<int32_t> ids = some_ids(tokens, vocabulary);
                    for (size_t i = 0; i < ids.size(); i += 3) ids[i] = no_token;
                    return embedding(t[0], ids, 3);
                  }});
  list.push_back({fmt::format("mean_of_segments [{}, {}]", tokens, cols),
                  random_tensors({{tokens, cols}}),
                  [=](Inputs t) { return mean_of_segments(t[0], segments); }});
  list.push_back({fmt::format("add_positions [{}, {}]", tokens, cols),
                  random_tensors({{tokens, cols}, {segments.longest() + 2, cols}}),
                  [=](Inputs t) { return add_positions(t[0], t[1], segments); }});
  list.push_back({fmt::format("rotary [{}, {}]", tokens, cols),
                  random_tensors({{tokens, 4 * cols}}), [=](Inputs t) {
                    return rotary(t[0], segments, cols, 3 * cols, 2 * cols,
                                  Rotation().frequencies(2 * cols));
                  }});
  if (cols < 2) return;
  list.push_back({fmt::format("rotary of a part [{}, {}]", tokens, cols),
                  random_tensors({{tokens, 4 * cols}}), [=](Inputs t) {
                    const std::vector<double> one = {0.7};
                    return rotary(t[0], segments, cols, 3 * cols, cols, one);
                  }});
}

void add_recurrent(List& list, int64_t rows, int64_t h, std::vector<KeyRows> ranges) {
  list.push_back({fmt::format("gru_step [{}, {}]", rows, h),
                  random_tensors({{rows, 3 * h}, {rows, 3 * h}, {rows, h}}),
                  [](Inputs t) { return gru_step(t[0], t[1], t[2]); }});
  list.push_back({fmt::format("lstm_step [{}, {}]", rows, h),
                  random_tensors({{rows, 4 * h}, {rows, 4 * h}, {rows, 2 * h}}),
                  [](Inputs t) { return lstm_step(t[0], t[1], t[2]); }});
  const int64_t queries = std::ssize(ranges), keys = 2 * rows + 3;
  const std::vector<Tensor> x = random_tensors({{queries, h}, {keys, h}, {keys, h + 2}, {h}});
  list.push_back({fmt::format("attend_once additive [{}, {}]", queries, h), x,
                  [=](Inputs t) { return attend_once(t[0], t[1], t[2], t[3], ranges); }});
  list.push_back({fmt::format("attend_once dot [{}, {}]", queries, h), x,
                  [=](Inputs t) { return attend_once(t[0], t[1], t[2], {}, ranges); }});
}

void add_attention(List& list, const Segments& queries, const Segments& keys, int64_t heads,
                   int64_t head_size) {
  const int64_t d = heads * head_size, n = queries.tokens(), m = keys.tokens();
  for (const bool causal : {false, true}) {
    for (const real p : {real(0), real(0.3)}) {
      const AttentionOptions options{heads, causal, p};
      const auto name = [&](const char* op) {
        return fmt::format("{} {} tokens, {} heads of {}{}{}", op, n, heads, head_size,
                           causal ? ", causal" : "", p > 0 ? ", dropout" : "");
      };
      list.push_back({name("attention"), random_tensors({{n, d}, {m, d}, {m, d}}), [=](Inputs t) {
                        return attention(t[0], t[1], t[2], queries, keys, options);
                      }});
      list.push_back({name("self_attention"), random_tensors({{n, 3 * d}}),
                      [=](Inputs t) { return self_attention(t[0], queries, options); }});
      list.push_back({name("cross_attention"), random_tensors({{n, d}, {m, 2 * d}}), [=](Inputs t) {
                        return cross_attention(t[0], t[1], queries, keys, options);
                      }});
    }
  }
}

// Two heads of keys and values for all heads of queries, with a scale and a cap.
void add_grouped_attention(List& list, const Segments& segments, int64_t heads, int64_t head_size) {
  const int64_t d = heads * head_size, kd = 2 * head_size, n = segments.tokens();
  for (const real p : {real(0), real(0.3)}) {
    const AttentionOptions options{.heads = heads,
                                   .causal = true,
                                   .dropout = p,
                                   .key_heads = 2,
                                   .scale = real(0.7),
                                   .cap = real(1.5)};
    const auto name = [&](const char* op) {
      return fmt::format("{} {} tokens, {} heads of {}, grouped{}", op, n, heads, head_size,
                         p > 0 ? ", dropout" : "");
    };
    list.push_back({name("attention"), random_tensors({{n, d}, {n, kd}, {n, kd}}), [=](Inputs t) {
                      return attention(t[0], t[1], t[2], segments, segments, options);
                    }});
    list.push_back({name("self_attention"), random_tensors({{n, d + 2 * kd}}),
                    [=](Inputs t) { return self_attention(t[0], segments, options); }});
    list.push_back({name("cross_attention"), random_tensors({{n, d}, {n, 2 * kd}}), [=](Inputs t) {
                      return cross_attention(t[0], t[1], segments, segments, options);
                    }});
  }
}

void add_sparse_attention(List& list, const Segments& segments, int64_t heads, int64_t head_size,
                          const Sparsity& sparsity) {
  const int64_t d = heads * head_size, n = segments.tokens();
  for (const bool causal : {false, true}) {
    for (const real p : {real(0), real(0.3)}) {
      const AttentionOptions options{heads, causal, p, sparsity};
      list.push_back(
          {fmt::format("sparse attention, window {} by {}, {} global, {} random{}{}",
                       sparsity.window, sparsity.dilation, sparsity.global, sparsity.random,
                       causal ? ", causal" : "", p > 0 ? ", dropout" : ""),
           random_tensors({{n, 3 * d}}),
           [=](Inputs t) { return self_attention(t[0], segments, options); }});
    }
  }
}

void add_losses(List& list, int64_t tokens, int64_t vocabulary, int64_t d) {
  for (const real smoothing : {real(0), real(0.1)}) {
    const std::vector<int32_t> ids = some_ids(tokens, vocabulary);
    list.push_back(
        {fmt::format("projected_cross_entropy [{}, {}, {}] {}", tokens, vocabulary, d, smoothing),
         random_tensors({{tokens, d}, {vocabulary, d}, {vocabulary}}),
         [=](Inputs t) { return projected_cross_entropy(t[0], t[1], t[2], ids, smoothing).loss; }});
    list.push_back(
        {fmt::format("agreeing_cross_entropy [{}, {}, {}] {}", tokens, vocabulary, d, smoothing),
         random_tensors({{tokens, d}, {tokens, d}, {vocabulary, d}, {vocabulary}}), [=](Inputs t) {
           return agreeing_cross_entropy(t[0], t[1], t[2], t[3], ids, smoothing, 5).loss;
         }});
    const std::vector<Tensor> teacher = random_tensors({{tokens, 3}, {vocabulary, 3}});
    list.push_back(
        {fmt::format("distilled_cross_entropy [{}, {}, {}] {}", tokens, vocabulary, d, smoothing),
         random_tensors({{tokens, d}, {vocabulary, d}, {vocabulary}}), [=](Inputs t) {
           return distilled_cross_entropy(t[0], t[1], t[2], teacher[0], teacher[1], {}, ids,
                                          smoothing, real(0.4), real(2))
               .loss;
         }});
    list.push_back({fmt::format("cross_entropy [{}, {}] {}", tokens, vocabulary, smoothing),
                    random_tensors({{tokens, vocabulary}}),
                    [=](Inputs t) { return cross_entropy(t[0], ids, smoothing).loss; }});
  }
  const std::vector<int32_t> answers = some_ids(tokens, vocabulary);
  const auto projected = [&] {
    return random_tensors({{tokens, d}, {vocabulary, d}, {vocabulary}});
  };
  list.push_back(
      {fmt::format("projected_cross_entropy [{}, {}, {}] capped", tokens, vocabulary, d),
       projected(), [=](Inputs t) {
         return projected_cross_entropy(t[0], t[1], t[2], answers, real(0.1), real(1.5)).loss;
       }});
  list.push_back(
      {fmt::format("projected_log_probabilities [{}, {}, {}] capped", tokens, vocabulary, d),
       projected(), [=](Inputs t) {
         return projected_log_probabilities(t[0], t[1], t[2], answers, real(1.5));
       }});
  list.push_back({fmt::format("projected_log_probabilities [{}, {}, {}]", tokens, vocabulary, d),
                  random_tensors({{tokens, d}, {vocabulary, d}, {vocabulary}}), [=](Inputs t) {
                    return projected_log_probabilities(t[0], t[1], t[2], answers);
                  }});
  for (const int64_t each : {1, 4}) {
    const std::vector<int32_t> candidates = some_ids(tokens * each, vocabulary);
    list.push_back({fmt::format("negative_sampling [{}, {}, {}] {}", tokens, vocabulary, d, each),
                    random_tensors({{tokens, d}, {vocabulary, d}}),
                    [=](Inputs t) { return negative_sampling(t[0], t[1], candidates).loss; }});
  }
}

}  // namespace

List op_suite() {
  List list;
  for (const Shape& s : {Shape{}, Shape{1}, Shape{3, 0}, Shape{2, 3, 5}, Shape{3, 15}, Shape{2, 16},
                         Shape{3, 17}, Shape{2, 34}}) {
    add_unary(list, s);
    add_binary(list, s, s);
    add_binary(list, s, {});
  }
  for (const int64_t cols : {1, 7, 16, 33}) {
    add_binary(list, {3, 2, cols}, {cols});
    add_binary(list, {3, 2, cols}, {2, cols});
    add_binary(list, {3, 2, cols}, {3, 2, 1});
    add_layout(list, 5, cols);
    add_norms(list, 3, cols);
    add_tokens(list, 6, cols, lengths({2, 0, 1, 4}));
    add_linear(list, 3, cols, 5);
    add_losses(list, 4, cols, 3);
  }
  add_matmul(list, {}, 3, 4, 5), add_matmul(list, {2, 2}, 1, 3, 2), add_matmul(list, {3}, 2, 0, 2);
  add_linear(list, 0, 2, 3), add_linear(list, 3, 5, 34);
  add_adapted_linear(list, 0, 2, 3), add_adapted_linear(list, 4, 5, 35);
  for (const int64_t head_size : {1, 3, 16}) {
    add_recurrent(list, 4, head_size, {{0, 3}, {7, 11}, {5, 5}, {4, 5}});
    add_attention(list, lengths({3, 0, 1, 2, 5}), lengths({2, 3, 1, 0, 6}), 1, head_size);
    add_attention(list, lengths({4, 2}), lengths({5, 1}), 3, head_size);
  }
  add_attention(list, lengths({17, 1}), lengths({19, 33}), 2, 5);
  add_grouped_attention(list, lengths({4, 0, 9}), 6, 4),
      add_grouped_attention(list, lengths({3}), 2, 3);
  for (const Sparsity& sparsity :
       {Sparsity{.window = 1}, Sparsity{.window = 2, .dilation = 2, .global = 1},
        Sparsity{.window = 1, .global = 2, .random = 1, .block = 2}}) {
    add_sparse_attention(list, lengths({9, 0, 1, 13}), 2, 3, sparsity);
  }
  return list;
}

List large_op_suite() {
  List list;
  add_unary(list, {300, 517});
  add_binary(list, {301, 515}, {301, 515});
  add_binary(list, {301, 515}, {515});
  add_binary(list, {301, 515}, {301, 1});
  add_binary(list, {301, 515}, {});
  add_layout(list, 700, 130);
  add_norms(list, 900, 130);
  add_tokens(list, 500, 130, lengths({200, 0, 1, 300, 77}));
  add_linear(list, 1000, 128, 384), add_linear(list, 700, 512, 256), add_linear(list, 513, 65, 33);
  add_adapted_linear(list, 700, 130, 257);
  add_matmul(list, {}, 300, 200, 100), add_matmul(list, {16}, 40, 30, 50);
  add_losses(list, 600, 3000, 64);
  add_recurrent(list, 300, 70, {{0, 250}, {250, 600}, {601, 602}});
  add_attention(list, lengths({300, 20, 0, 1, 700}), lengths({310, 20, 5, 1, 600}), 4, 32);
  add_grouped_attention(list, lengths({300, 20, 0, 1, 700}), 4, 32);
  add_sparse_attention(list, lengths({300, 20, 0, 1, 700}), 4, 32,
                       {.window = 30, .global = 3, .random = 2});
  return list;
}

}  // namespace calque
