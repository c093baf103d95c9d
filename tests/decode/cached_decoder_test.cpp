// Cached decoding equals the full pass: at every step, for every row.
#include <doctest/doctest.h>

#include "data/tokenizers/vocabulary.h"
#include "decode/plain_decoding.h"
#include "decode/translation.h"
#include "decode/wandering.h"

namespace calque {
namespace {

// The variants of nn's tests, and the small options with each choice of further options.
std::vector<Variant> all_variants() {
  std::vector<Variant> list = variants();
  const auto add = [&](std::string_view name, auto member, auto choice) {
    TransformerOptions options = small_options();
    options.layer.*member = choice;
    list.push_back({std::string(name), options});
  };
  for (const auto& kind : position_kinds) add(kind.name, &LayerOptions::positions, kind.choice);
  for (const auto& kind : activations) {
    add(kind.name, &LayerOptions::activation, kind.choice);
  }
  for (const auto& kind : norm_kinds) add(kind.name, &LayerOptions::norm_kind, kind.choice);
  list.push_back({"output bias", small_options()});
  list.back().options.output_bias = true;
  for (const auto& placement : norm_placements) {
    TransformerOptions options = small_options();
    options.layer.norm_placement = placement.choice;
    options.decoder_start = DecoderStart::zero;
    list.push_back({"from zeros", options});
  }
  list.push_back({"sources without an end", small_options()});
  list.back().options.source_end = false;
  return list;
}

TEST_CASE(
    "cached decoding has the full pass's log-probabilities, however hypotheses are reordered") {
  for (const Variant& variant : all_variants()) {
    CAPTURE(variant.name);
    const SmallModel model(variant.options);
    const auto sources = random_sources(variant.options.source_vocabulary, 3, 7, 5);
    const auto decoder = translation_model(model.transformer, sources).start(all_items(sources));
    Wandering wandering(std::vector<int32_t>(3, begin_id), [&](int32_t item, const auto& written) {
      return next_log_probabilities(model.transformer, sources[item], written);
    });
    for (int step = 0; step < 10; ++step) {
      CAPTURE(step);
      CHECK(wandering.difference(*decoder) <= 1e-5);
      wandering.wander();
    }
  }
}

}  // namespace
}  // namespace calque
