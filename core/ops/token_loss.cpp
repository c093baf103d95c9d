#include "core/ops/token_loss.h"

#include <algorithm>
#include <cmath>

#include "core/simd/math.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// The results of one pass over a row of logits.
struct Reading {
  real maximum;
  double total;   // the sum of the logits
  real expected;  // the expected token's logit
  bool correct;   // whether it is the largest logit, the first of ties
};

Reading read_row(const real* x, int64_t size, int32_t expected) {
  Vec most = broadcast(minus_infinity), total{};
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const Vec v = load(x + i);
    most = max(most, v);
    total += v;
  }
  Reading row{maximum(most), sum(total), x[expected], false};
  for (; i < size; ++i) {
    row.maximum = std::max(row.maximum, x[i]);
    row.total += x[i];
  }
  row.correct =
      row.expected == row.maximum && std::find(x, x + expected, row.expected) == x + expected;
  return row;
}

// `normaliser` is the log of the sum of exp(logit).
RowLoss loss_of(const Reading& row, double normaliser, int64_t vocabulary, real smoothing) {
  RowLoss result{.nll = normaliser - double(row.expected), .correct = row.correct};
  result.loss = (1 - double(smoothing)) * result.nll;
  // Without smoothing, a logit of -infinity is allowed: a token that cannot occur.
  if (smoothing > 0) {
    result.loss += double(smoothing) * (normaliser - row.total / static_cast<double>(vocabulary));
  }
  return result;
}

RowLoss row_loss(real* logits, int64_t vocabulary, int32_t expected, real smoothing,
                 bool gradient) {
  const Reading row = read_row(logits, vocabulary, expected);
  const real total = exponentials(logits, vocabulary, row.maximum, logits);
  if (gradient) {
    const real share = 1 / total, everywhere = smoothing / static_cast<real>(vocabulary);
    const auto slope = [=](Vec e) { return e * share - everywhere; };
    map(vocabulary, logits, slope, logits);
    logits[expected] -= 1 - smoothing;
  }
  return loss_of(row, double(row.maximum) + std::log(double(total)), vocabulary, smoothing);
}

// Calls body(i, n) for the n numbers from i on, a vector at a time.
template <class Body>
void for_vectors(int64_t count, Body body) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) body(i, lanes);
  if (i < count) body(i, count - i);
}

// The sums over the vocabulary for the softmaxes of two passes and their divergences, with
// P = exp(x - max x) and Q = exp(y - max y).
struct PairSums {
  real p, q;                      // of P and Q
  real p_log_ratio, q_log_ratio;  // of P (x - y) and Q (x - y)
};

PairSums pair_sums(const real* x, const real* y, int64_t vocabulary, real x_most, real y_most) {
  Vec p{}, q{}, p_log_ratio{}, q_log_ratio{};
  for_vectors(vocabulary, [&](int64_t i, int64_t n) {
    const Bits valid = first_lanes(n);
    const Vec a = load_first(x + i, n), b = load_first(y + i, n);
    const Vec ea = valid ? exp(a - x_most) : Vec{}, eb = valid ? exp(b - y_most) : Vec{};
    p += ea;
    q += eb;
    p_log_ratio += ea * (a - b);
    q_log_ratio += eb * (a - b);
  });
  return {sum(p), sum(q), sum(p_log_ratio), sum(q_log_ratio)};
}

// The loss of one token in two passes: the mean of both losses, plus the divergences. With
// l = log p - log p', the gradient of KL(p || p') + KL(p' || p) is p (l - KL(p || p')) + p - p'
// with respect to the first logits, and p' (-l - KL(p' || p)) + p' - p with respect to the second.
RowLoss pair_loss(real* x, real* y, int64_t vocabulary, int32_t expected,
                  const PairOptions& options, bool gradient) {
  const Reading first = read_row(x, vocabulary, expected);
  const Reading second = read_row(y, vocabulary, expected);
  const PairSums sums = pair_sums(x, y, vocabulary, first.maximum, second.maximum);
  const double x_normaliser = double(first.maximum) + std::log(double(sums.p));
  const double y_normaliser = double(second.maximum) + std::log(double(sums.q));
  const double shift = x_normaliser - y_normaliser;  // log p - log p' = x - y - shift
  const double forth = double(sums.p_log_ratio) / double(sums.p) - shift;
  const double back = shift - double(sums.q_log_ratio) / double(sums.q);
  RowLoss result = loss_of(first, x_normaliser, vocabulary, options.smoothing);
  result.loss += loss_of(second, y_normaliser, vocabulary, options.smoothing).loss;
  result.loss = result.loss / 2 + double(options.agreement) / 4 * (forth + back);
  if (!gradient) return result;

  const real p_share = 1 / sums.p, q_share = 1 / sums.q, weight = options.agreement / 2;
  const real everywhere = options.smoothing / static_cast<real>(vocabulary);
  const auto l_shift = static_cast<real>(shift);
  const auto kl_forth = static_cast<real>(forth), kl_back = static_cast<real>(back);
  for_vectors(vocabulary, [&](int64_t i, int64_t n) {
    const Vec a = load_first(x + i, n), b = load_first(y + i, n);
    const Vec p = exp(a - first.maximum) * p_share, q = exp(b - second.maximum) * q_share;
    const Vec l = a - b - l_shift;
    const Vec to_x = p - everywhere + weight * (p * (l - kl_forth) + p - q);
    const Vec to_y = q - everywhere + weight * (q * (-l - kl_back) + q - p);
    store_first(x + i, to_x * real(0.5), n);
    store_first(y + i, to_y * real(0.5), n);
  });
  x[expected] -= (1 - options.smoothing) / 2;
  y[expected] -= (1 - options.smoothing) / 2;
  return result;
}

// The loss of one token with a teacher. With q = softmax(y), the gradient of KL(q || p) with
// respect to the logits x is p - q.
RowLoss taught_loss(real* x, real* y, int64_t vocabulary, int32_t expected,
                    const TaughtOptions& options, bool gradient) {
  const Reading row = read_row(x, vocabulary, expected);
  const real teacher_most = read_row(y, vocabulary, expected).maximum;
  Vec p{}, q{}, q_log_ratio{};
  for_vectors(vocabulary, [&](int64_t i, int64_t n) {
    const Bits valid = first_lanes(n);
    const Vec a = load_first(x + i, n), b = load_first(y + i, n);
    const Vec eb = valid ? exp(b - teacher_most) : Vec{};
    p += valid ? exp(a - row.maximum) : Vec{};
    q += eb;
    q_log_ratio += eb > 0 ? eb * (b - a) : Vec{};  // logits may be -infinity
  });
  const double normaliser = double(row.maximum) + std::log(double(sum(p)));
  const double teacher_normaliser = double(teacher_most) + std::log(double(sum(q)));
  const double divergence =
      double(sum(q_log_ratio)) / double(sum(q)) + normaliser - teacher_normaliser;
  const double share = double(options.share);
  RowLoss result = loss_of(row, normaliser, vocabulary, options.smoothing);
  result.loss = share * divergence + (share < 1 ? (1 - share) * result.loss : 0);
  if (!gradient) return result;

  const real own = 1 - options.share, p_share = 1 / sum(p), q_share = options.share / sum(q);
  const real everywhere = own * options.smoothing / static_cast<real>(vocabulary);
  map(
      vocabulary, x,
      [=, most = row.maximum](Vec a, Vec b) {
        return exp(a - most) * p_share - exp(b - teacher_most) * q_share - everywhere;
      },
      x, y);
  x[expected] -= own * (1 - options.smoothing);
  return result;
}

}  // namespace

void row_losses(const LogitRows& logits, std::span<const int32_t> expected, real smoothing,
                bool gradient, RowLoss* losses) {
  const auto rows = static_cast<int64_t>(expected.size());
  for_each_row(rows, logits.vocabulary * 4, [&](int64_t r) {
    losses[r] = row_loss(logits.data + r * logits.stride, logits.vocabulary,
                         expected[static_cast<size_t>(r)], smoothing, gradient);
  });
}

void pair_losses(const LogitRows& first, const LogitRows& second, std::span<const int32_t> expected,
                 const PairOptions& options, bool gradient, RowLoss* losses) {
  const auto rows = static_cast<int64_t>(expected.size());
  for_each_row(rows, first.vocabulary * 12, [&](int64_t r) {
    losses[r] = pair_loss(first.data + r * first.stride, second.data + r * second.stride,
                          first.vocabulary, expected[static_cast<size_t>(r)], options, gradient);
  });
}

void taught_losses(const LogitRows& logits, const LogitRows& teacher,
                   std::span<const int32_t> expected, const TaughtOptions& options, bool gradient,
                   RowLoss* losses) {
  const auto rows = static_cast<int64_t>(expected.size());
  for_each_row(rows, logits.vocabulary * 8, [&](int64_t r) {
    losses[r] = taught_loss(logits.data + r * logits.stride, teacher.data + r * teacher.stride,
                            logits.vocabulary, expected[static_cast<size_t>(r)], options, gradient);
  });
}

TokenLoss sum_of(const std::vector<RowLoss>& rows) {
  TokenLoss result;
  double loss = 0;
  for (const RowLoss& row : rows) {
    loss += row.loss;
    result.nll += row.nll;
    result.correct += row.correct ? 1 : 0;
  }
  result.loss = Tensor::full({}, static_cast<real>(loss));
  result.tokens = static_cast<int64_t>(rows.size());
  return result;
}

void check_expected(const char* op, const Shape& rows, int64_t vocabulary,
                    std::span<const int32_t> expected, real smoothing) {
  require(rows.rows() == static_cast<int64_t>(expected.size()), "{}: {} for {} expected tokens", op,
          rows, expected.size());
  require(smoothing >= 0 && smoothing < 1, "{}: a label smoothing of {}", op, smoothing);
  for (const int32_t id : expected) {
    require(id >= 0 && id < vocabulary, "{}: id {} is not in a vocabulary of {}", op, id,
            vocabulary);
  }
}

}  // namespace calque
