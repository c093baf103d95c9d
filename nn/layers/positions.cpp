#include "nn/layers/positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "nn/initial.h"

namespace calque {
namespace {

double frequency(PositionKind kind, int64_t k, int64_t pairs) {
  const bool shorter = kind == PositionKind::t2t || kind == PositionKind::fairseq;
  const int64_t steps = shorter ? std::max<int64_t>(pairs - 1, 1) : pairs;
  return std::pow(10000.0, -static_cast<double>(k) / static_cast<double>(steps));
}

Tensor make_table(const Path& at, const LayerOptions& options) {
  const int64_t d_model = options.d_model;
  switch (options.positions) {
    case PositionKind::rotary:
    case PositionKind::plane:
    case PositionKind::none:
      return {};
    case PositionKind::learned:
      return at.parameter("weight", {options.max_positions, d_model}, Role::position,
                          embedding_normal(d_model));
    default:
      return sinusoids(options.positions, options.max_positions, d_model);
  }
}

int64_t positions_needed(const Segments& segments, std::span<const int32_t> starts) {
  if (starts.empty()) return segments.longest();
  require(std::ssize(starts) == segments.count(), "positions: {} starts for {} sentences",
          starts.size(), segments.count());
  int64_t most = 0;
  for (int64_t i = 0; i < segments.count(); ++i) {
    most = std::max(most, int64_t{starts[i]} + segments.length(i));
  }
  return most;
}

}  // namespace

Tensor sinusoids(PositionKind kind, int64_t positions, int64_t d_model, int64_t first) {
  require(d_model % 2 == 0, "sinusoids: d_model is {}, an odd number", d_model);
  const int64_t pairs = d_model / 2;
  if (kind == PositionKind::fairseq) first += 2;
  const bool interleaved = kind == PositionKind::interleaved;
  Tensor table({positions, d_model});
  for (int64_t k = 0; k < pairs; ++k) {
    const double f = frequency(kind, k, pairs);
    const int64_t sine = interleaved ? 2 * k : k;
    const int64_t cosine = interleaved ? 2 * k + 1 : pairs + k;
    for (int64_t p = 0; p < positions; ++p) {
      const double angle = static_cast<double>(first + p) * f;
      table.data()[p * d_model + sine] = static_cast<real>(std::sin(angle));
      table.data()[p * d_model + cosine] = static_cast<real>(std::cos(angle));
    }
  }
  return table;
}

Positions::Positions(const Path& at, const LayerOptions& options)
    : kind(options.positions), table(make_table(at, options)) {}

Tensor Positions::operator()(const Tensor& x, const Segments& segments,
                             std::span<const int32_t> starts) const {
  if (!table) return x;
  const int64_t needed = positions_needed(segments, starts);
  if (needed <= table.rows()) return add_positions(x, table, segments, starts);
  if (kind == PositionKind::learned) {
    fail(
        "a sentence of {} tokens, but the model has learned positions for {}; shorten it, or train "
        "with a larger max_positions",
        needed, table.rows());
  }
  // Beyond the table, computes only the rows of this pass: one for a decoding step.
  if (starts.empty()) return add_positions(x, sinusoids(kind, needed, x.cols()), segments);
  const int32_t first = std::ranges::min(starts);
  std::vector<int32_t> shifted(starts.begin(), starts.end());
  for (int32_t& start : shifted) start -= first;
  return add_positions(x, sinusoids(kind, needed - first, x.cols(), first), segments, shifted);
}

}  // namespace calque
