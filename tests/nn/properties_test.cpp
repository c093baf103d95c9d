// What holds for any weights: which outputs depend on which inputs, and how batches, their order
// and their micro-batches relate.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/small_model.h"
#include "support/threads.h"

using namespace calque;

namespace {

const std::vector<std::pair<int32_t, int32_t>> lengths = {{4, 5}, {1, 1}, {7, 3}, {2, 6}};

std::span<const real> rows_of(const Tensor& x, int64_t begin, int64_t end) {
  return std::span<const real>(x.span()).subspan(static_cast<size_t>(begin * x.cols()),
                                                 static_cast<size_t>((end - begin) * x.cols()));
}

bool same_bits(std::span<const real> a, std::span<const real> b) {
  return std::ranges::equal(a, b);
}

// All gradients, concatenated.
std::vector<real> gradients_of(const Parameters& parameters) {
  std::vector<real> all;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::span<const real> one = entry.tensor.gradient().span();
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

const real rounding = sizeof(real) == 4 ? real(1e-5) : real(1e-13);

}  // namespace

TEST_CASE("a change of a future target token changes no earlier output bit") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    SmallBatch batch = random_batch(variant.options, lengths);
    const Tensor before = hidden_of(model.transformer, batch);
    const int32_t begin = batch.target_segments.begin(3), end = batch.target_segments.end(3);
    for (int32_t t = begin; t < end; ++t) {
      int32_t& token = batch.decoder_input[t];
      const int32_t old = std::exchange(token, (token + 1) % 11);
      const Tensor after = hidden_of(model.transformer, batch);
      CHECK(same_bits(rows_of(before, 0, t), rows_of(after, 0, t)));
      CHECK_FALSE(same_bits(rows_of(before, t, end), rows_of(after, t, end)));
      token = old;
    }
  }
}

TEST_CASE("a decoder that starts from zeros does not read its first token") {
  for (const auto& start : decoder_starts) {
    CAPTURE(start.name);
    TransformerOptions options = small_options();
    options.decoder_start = start.choice;
    const SmallModel model(options);
    SmallBatch batch = random_batch(options, lengths);
    const Tensor before = hidden_of(model.transformer, batch);
    for (int64_t i = 0; i < batch.target_segments.count(); ++i) {
      int32_t& token = batch.decoder_input[batch.target_segments.begin(i)];
      token = (token + 1) % 11;
    }
    const Tensor after = hidden_of(model.transformer, batch);
    CHECK(same_bits(before.span(), after.span()) == (start.choice == DecoderStart::zero));
  }
}

TEST_CASE("a decoder that starts from zeros equals one whose <s> has an embedding of zeros") {
  TransformerOptions options = small_options();
  options.tying = Tying::none;
  const SmallModel model(options);
  options.decoder_start = DecoderStart::zero;
  const SmallModel from_zeros(options);
  SmallBatch batch = random_batch(options, lengths);
  constexpr int32_t first = 12;  // an id that occurs nowhere else
  for (int32_t& token : batch.decoder_input) token %= first;
  for (int64_t i = 0; i < batch.target_segments.count(); ++i) {
    batch.decoder_input[batch.target_segments.begin(i)] = first;
  }
  const Tensor expected = hidden_of(from_zeros.transformer, batch);
  CHECK_FALSE(same_bits(hidden_of(model.transformer, batch).span(), expected.span()));
  const Tensor& table = model.transformer.target_embedding.weight;
  std::fill_n(table.data() + first * table.cols(), table.cols(), real(0));
  CHECK(same_bits(hidden_of(model.transformer, batch).span(), expected.span()));
}

TEST_CASE("a sentence gives the same output alone, in any batch and in any order") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const SmallBatch batch = random_batch(variant.options, lengths);
    const Tensor whole = hidden_of(model.transformer, batch);
    const auto check_against_whole = [&](const std::vector<int64_t>& numbers) {
      const SmallBatch part = chosen_sentences(batch, numbers);
      const Tensor hidden = hidden_of(model.transformer, part);
      for (size_t i = 0; i < numbers.size(); ++i) {
        const Segments& from = batch.target_segments;
        const auto at = static_cast<int64_t>(i);
        CHECK(relative_difference(
                  rows_of(hidden, part.target_segments.begin(at), part.target_segments.end(at)),
                  rows_of(whole, from.begin(numbers[i]), from.end(numbers[i]))) < rounding);
      }
    };
    for (int64_t i = 0; i < 4; ++i) check_against_whole({i});
    check_against_whole({3, 1, 0, 2});
    check_against_whole({2, 2, 0});
  }
}

TEST_CASE("without positions, an encoder gives permuted tokens the permuted outputs") {
  TransformerOptions options = small_options();
  options.layer.positions = PositionKind::none;
  const SmallModel model(options);
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{6});
  const std::vector<int32_t> ids = {3, 1, 4, 1, 5, 9}, order = {4, 2, 0, 5, 3, 1};
  std::vector<int32_t> permuted;
  permuted.reserve(order.size());
  for (const int32_t i : order) permuted.push_back(ids[i]);
  const auto encode = [&](const Transformer& transformer, const std::vector<int32_t>& tokens) {
    return transformer.encode(tokens, segments, Mode::evaluate);
  };
  const Tensor expected = gather_rows(encode(model.transformer, ids), order);
  CHECK(relative_difference(encode(model.transformer, permuted).span(), expected.span()) <
        rounding);

  options.layer.positions = PositionKind::interleaved;
  const SmallModel ordered(options);
  const Tensor other = gather_rows(encode(ordered.transformer, ids), order);
  CHECK(relative_difference(encode(ordered.transformer, permuted).span(), other.span()) > 0.01);
}

TEST_CASE("with rotary positions attention weights depend only on the distance of two tokens") {
  TransformerOptions options = small_options();
  options.layer.positions = PositionKind::rotary;
  const SmallModel model(options);
  const SelfAttention& attention = model.transformer.encoder.layers[0].self_attention;
  Tensor x({5, options.layer.d_model});
  fill_normal({.seed = 4}, 0, 1, x.span());
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{5});
  const auto weights_from = [&](int32_t start) {
    const Tensor qkv = attention.project(x, segments, std::vector<int32_t>{start});
    return attention_weights(slice_cols(qkv, 0, 8), slice_cols(qkv, 8, 16), segments, segments,
                             attention.attention_options(Mode::evaluate))[0];
  };
  CHECK(relative_difference(weights_from(7).span(), weights_from(0).span()) < 10 * rounding);
}

TEST_CASE(
    "label smoothing 0 is plain cross-entropy, and smoothing mixes in the uniform distribution") {
  const SmallModel model(small_options());
  const SmallBatch batch = random_batch(small_options(), lengths);
  const Tensor log_p = log_softmax(model.transformer.logits(hidden_of(model.transformer, batch)));
  double plain = 0, uniform = 0;
  int64_t correct = 0;
  for (int64_t t = 0; t < log_p.rows(); ++t) {
    const std::span<const real> row = rows_of(log_p, t, t + 1);
    plain -= double(row[batch.expected[t]]);
    uniform -= std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
    correct += std::ranges::max_element(row) - row.begin() == batch.expected[t] ? 1 : 0;
  }
  const TokenLoss unsmoothed = loss_of(model.transformer, batch, 0);
  CHECK(double(unsmoothed.loss.item()) == doctest::Approx(plain).epsilon(1e-6));
  CHECK(unsmoothed.nll == doctest::Approx(plain).epsilon(1e-6));
  CHECK(unsmoothed.correct == correct);
  CHECK(unsmoothed.tokens == 15);
  const TokenLoss smoothed = loss_of(model.transformer, batch, real(0.1));
  CHECK(double(smoothed.loss.item()) == doctest::Approx(0.9 * plain + 0.1 * uniform).epsilon(1e-6));
  CHECK(smoothed.nll == unsmoothed.nll);
}

TEST_CASE("two accumulated halves of a batch have the gradient of the whole") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    SmallModel model(variant.options);
    const SmallBatch batch = random_batch(variant.options, lengths);
    const auto add_gradients = [&](const SmallBatch& part) {
      const Tape tape;
      backward(loss_of(model.transformer, part, real(0.1), Mode::train).loss);
    };
    add_gradients(batch);
    const std::vector<real> whole = gradients_of(model.parameters);
    model.parameters.clear_gradients();
    add_gradients(chosen_sentences(batch, {0, 1}));
    add_gradients(chosen_sentences(batch, {2, 3}));
    CHECK(relative_difference(gradients_of(model.parameters), whole) < rounding);
  }
}

TEST_CASE("dropout is on only in training, and depends on the tape's seed and step") {
  TransformerOptions options = small_options();
  options.layer.dropout = options.layer.attention_dropout = options.layer.activation_dropout =
      real(0.3);
  const SmallModel model(options);
  const SmallBatch batch = random_batch(options, lengths);
  const auto loss = [&](Mode mode) {
    return loss_of(model.transformer, batch, 0, mode).loss.item();
  };
  const auto on_tape = [&](uint64_t seed, uint32_t step, Mode mode) {
    const Tape tape({.seed = seed, .step = step});
    return loss(mode);
  };
  const real plain = loss(Mode::evaluate);
  CHECK(loss(Mode::train) == plain);  // no tape
  CHECK(on_tape(1, 1, Mode::evaluate) == plain);
  const real first = on_tape(1, 1, Mode::train);
  CHECK(first != plain);
  CHECK(on_tape(1, 1, Mode::train) == first);
  CHECK(on_tape(1, 2, Mode::train) != first);
  CHECK(on_tape(2, 1, Mode::train) != first);
}

TEST_CASE("two passes of a batch differ in their dropout, and agreement adds to the loss") {
  TransformerOptions options = small_options();
  options.layer.dropout = real(0.3);
  const SmallModel model(options);
  const SmallBatch batch = random_batch(options, lengths);
  const auto loss = [&](Mode mode, real agreement) {
    const Tape tape({.seed = 1, .step = 1});
    return loss_of(model.transformer, batch, real(0.1), mode, agreement);
  };
  const TokenLoss one = loss(Mode::train, 0), two = loss(Mode::train, 1);
  CHECK(two.nll == one.nll);  // the first pass is the same
  CHECK(two.correct == one.correct);
  CHECK(two.tokens == one.tokens);
  const real twice = loss(Mode::train, 2).loss.item(), thrice = loss(Mode::train, 3).loss.item();
  CHECK(twice > two.loss.item());
  CHECK(thrice - twice == doctest::Approx(twice - two.loss.item()).epsilon(1e-3));
  // Without dropout both passes agree.
  const real plain = loss(Mode::evaluate, 0).loss.item();
  CHECK(loss(Mode::evaluate, 3).loss.item() == doctest::Approx(plain).epsilon(1e-5));
}

TEST_CASE("empty sentences give finite losses and gradients") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    SmallModel model(variant.options);
    const SmallBatch batch = random_batch(variant.options, {{0, 2}, {3, 0}, {0, 0}, {2, 1}});
    {
      const Tape tape({}, Tape::Check::finite);
      const TokenLoss loss = loss_of(model.transformer, batch, real(0.1), Mode::train);
      CHECK(std::isfinite(loss.loss.item()));
      backward(loss.loss);
    }
    CHECK(std::ranges::all_of(gradients_of(model.parameters),
                              [](real g) { return std::isfinite(g); }));
    const SmallBatch nothing = random_batch(variant.options, {});
    CHECK(loss_of(model.transformer, nothing, real(0.1)).loss.item() == 0);
  }
}

TEST_CASE("a training step has the same bits on one, two and three threads") {
  TransformerOptions options = small_options();
  options.layer.dropout = options.layer.attention_dropout = real(0.2);
  std::vector<std::vector<real>> found;
  const Threads as_before;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    SmallModel model(options);
    const SmallBatch batch = random_batch(options, {{40, 30}, {25, 31}, {60, 70}, {13, 9}});
    const Tape tape({.seed = 1});
    backward(loss_of(model.transformer, batch, real(0.1), Mode::train).loss);
    found.push_back(gradients_of(model.parameters));
  }
  CHECK(same_bits(found[0], found[1]));
  CHECK(same_bits(found[0], found[2]));
}
