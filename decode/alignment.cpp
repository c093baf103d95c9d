#include "decode/alignment.h"

#include <algorithm>

#include "core/tape.h"
#include "data/vocabulary.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

// weights: [heads, queries, keys]. The last key is </s>.
std::vector<int32_t> strongest(const Tensor& weights, size_t targets, size_t sources) {
  const size_t keys = sources + 1, queries = targets + 1;
  const size_t heads = weights.span().size() / (keys * queries);
  std::vector<int32_t> places;
  for (size_t t = 0; t < targets && sources > 0; ++t) {
    std::vector<real> total(sources);
    for (size_t head = 0; head < heads; ++head) {
      const auto row = weights.span().subspan((head * queries + t) * keys, sources);
      std::ranges::transform(total, row, total.begin(), std::plus<>());
    }
    places.push_back(static_cast<int32_t>(std::ranges::max_element(total) - total.begin()));
  }
  return places;
}

std::vector<int32_t> places_of(const Transformer& model, const Ids& source, const Ids& target) {
  Ids read = source, written = {begin_id};
  read.push_back(end_id);
  written.insert(written.end(), target.begin(), target.end());
  const auto whole = [](const Ids& ids) {
    return Segments::of_lengths(std::vector{static_cast<int32_t>(ids.size())});
  };
  AttentionRecord record;
  const Tensor memory = model.encode(read, whole(read), Mode::evaluate);
  model.decode(written, whole(written), memory, whole(read), Mode::evaluate, &record);
  const auto layers = std::ssize(model.decoder.layers);
  const std::string& name =
      model.decoder.layers[std::max<int64_t>(0, layers - 2)].cross_attention.name;
  return strongest(record.at(name).sentences.front(), target.size(), source.size());
}

}  // namespace

std::vector<std::vector<int32_t>> attended_places(const Transformer& model,
                                                  const std::vector<Ids>& sources,
                                                  const std::vector<Ids>& targets) {
  require(sources.size() == targets.size(), "attended_places: {} sources and {} targets",
          sources.size(), targets.size());
  const NoGradient nothing_recorded;
  std::vector<std::vector<int32_t>> places;
  for (size_t i = 0; i < sources.size(); ++i) {
    places.push_back(places_of(model, sources[i], targets[i]));
  }
  return places;
}

}  // namespace calque
