// The cache changes speed, never results: at every step, every row's log-probabilities are those of
// the full pass over what that row has written.
#include "decode/cached_decoder.h"

#include <doctest/doctest.h>

#include "data/vocabulary.h"
#include "decode/plain_decoding.h"
#include "decode/wandering.h"

namespace calque {
namespace {

// Those of nn's own tests, and each choice of each option once more beside the defaults.
std::vector<Variant> all_variants() {
  std::vector<Variant> list = variants();
  const auto add = [&](std::string_view name, auto member, auto choice) {
    TransformerOptions options = small_options();
    options.layer.*member = choice;
    list.push_back({std::string(name), options});
  };
  for (const auto& kind : position_kinds) add(kind.name, &LayerOptions::positions, kind.choice);
  for (const auto& kind : feed_forward_kinds) {
    add(kind.name, &LayerOptions::feed_forward, kind.choice);
  }
  for (const auto& kind : norm_kinds) add(kind.name, &LayerOptions::norm_kind, kind.choice);
  list.push_back({"output bias", small_options()});
  list.back().options.output_bias = true;
  return list;
}

TEST_CASE("cached decoding gives the full pass's log-probabilities, however hypotheses move") {
  for (const Variant& variant : all_variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const auto sources = random_sources(variant.options.source_vocabulary, 3, 7, 5);
    std::vector<int32_t> ids;
    Segments segments;
    for (const auto& source : sources) {
      ids.insert(ids.end(), source.begin(), source.end());
      ids.push_back(end_id);
      segments.append(static_cast<int32_t>(source.size()) + 1);
    }
    CachedDecoder decoder(model.transformer, ids, segments);
    Wandering wandering(std::vector<int32_t>(3, begin_id), [&](int32_t item, const auto& written) {
      return next_log_probabilities(model.transformer, sources[item], written);
    });
    for (int step = 0; step < 10; ++step) {
      CAPTURE(step);
      CHECK(wandering.difference(decoder) <= 1e-5);
      wandering.wander();
    }
  }
}

}  // namespace
}  // namespace calque
