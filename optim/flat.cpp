#include "optim/flat.h"

#include <algorithm>

namespace calque {
namespace {

constexpr int64_t piece_size = 1 << 15;

}  // namespace

Buffer<real> zeros(int64_t size) {
  Buffer<real> buffer(size);
  parallel_for(size, piece_size, [&](int64_t begin, int64_t end) {
    std::fill(buffer.data() + begin, buffer.data() + end, real(0));
  });
  return buffer;
}

bool is_decayed(const Parameters::Entry& entry, Decayed what) {
  if (what == Decayed::everything) return true;
  if (entry.shape.axes() < 2) return false;
  if (what == Decayed::matrices) return true;
  return entry.name.find("embed") == std::string::npos &&
         entry.name.find("position") == std::string::npos;
}

std::vector<FlatPiece> flat_pieces(const Parameters& parameters, const WeightDecay& decay) {
  // Neighbours under the same rate become one run; the gap after a window goes with the window.
  std::vector<FlatPiece> runs;
  const auto& entries = parameters.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const double rate = is_decayed(entries[i], decay.what) ? decay.rate : 0;
    const int64_t end = i + 1 < entries.size() ? entries[i + 1].offset : parameters.flat_size();
    require(entries[i].offset % lanes == 0 && end % lanes == 0,
            "flat_pieces: {} does not begin and end on a whole vector", entries[i].name);
    if (!runs.empty() && runs.back().decay == rate) {
      runs.back().end = end;
    } else {
      runs.push_back({entries[i].offset, end, rate});
    }
  }
  std::vector<FlatPiece> pieces;
  for (const FlatPiece& run : runs) {
    for (int64_t begin = run.begin; begin < run.end; begin += piece_size) {
      pieces.push_back({begin, std::min(run.end, begin + piece_size), run.decay});
    }
  }
  return pieces;
}

}  // namespace calque
