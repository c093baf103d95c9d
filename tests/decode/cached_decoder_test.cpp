// The cache changes speed, never results: at every step, every row's log-probabilities are those of
// the full pass over what that row has written.
#include "decode/cached_decoder.h"

#include <doctest/doctest.h>

#include <cmath>

#include "data/vocabulary.h"
#include "decode/plain_decoding.h"
#include "support/worse.h"

namespace calque {
namespace {

struct Row {
  int32_t sentence;
  std::vector<int32_t> written;
};

// Hypotheses that fork, die and change places at random: each row of a step continues a random row
// of the step before.
class Wandering {
 public:
  Wandering(const Transformer& model, const std::vector<std::vector<int32_t>>& sources)
      : model_(model), sources_(sources) {
    for (int32_t i = 0; i < std::ssize(sources); ++i) {
      step_.ids.push_back(begin_id);
      step_.items.push_back(i);
      rows_.push_back({i, {}});
    }
  }

  // The largest difference of a log-probability from that of the plain decoding.
  double difference(CachedDecoder& decoder) const {
    const Tensor logs = log_softmax(decoder.step(step_));
    double most = 0;
    for (size_t r = 0; r < rows_.size(); ++r) {
      const auto expected =
          next_log_probabilities(model_, sources_[rows_[r].sentence], rows_[r].written);
      for (size_t id = 0; id < expected.size(); ++id) {
        most = worse(most, std::abs(logs.span()[r * expected.size() + id] - expected[id]));
      }
    }
    return most;
  }

  void wander() {
    std::vector<Row> next;
    step_ = {};
    for (uint64_t count = 1 + random_.below(6); count > 0; --count) {
      const auto parent = static_cast<int32_t>(random_.below(rows_.size()));
      Row row = rows_[parent];
      row.written.push_back(static_cast<int32_t>(
          random_.below(static_cast<uint64_t>(model_.options.target_vocabulary))));
      step_.ids.push_back(row.written.back());
      step_.items.push_back(row.sentence);
      step_.parents.push_back(parent);
      next.push_back(std::move(row));
    }
    rows_ = std::move(next);
  }

 private:
  const Transformer& model_;
  const std::vector<std::vector<int32_t>>& sources_;
  Random random_{{.seed = 7}};
  DecodingStep step_;
  std::vector<Row> rows_;
};

// Those of nn's own tests, and each choice of each option once more beside the defaults.
std::vector<Variant> all_variants() {
  std::vector<Variant> list = variants();
  const auto add = [&](std::string_view name, auto member, auto choice) {
    TransformerOptions options = small_options();
    options.*member = choice;
    list.push_back({std::string(name), options});
  };
  for (const auto& kind : position_kinds) {
    add(kind.name, &TransformerOptions::positions, kind.choice);
  }
  for (const auto& kind : feed_forward_kinds) {
    add(kind.name, &TransformerOptions::feed_forward, kind.choice);
  }
  for (const auto& kind : norm_kinds) add(kind.name, &TransformerOptions::norm, kind.choice);
  add("output bias", &TransformerOptions::output_bias, true);
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
    Wandering wandering(model.transformer, sources);
    for (int step = 0; step < 10; ++step) {
      CAPTURE(step);
      CHECK(wandering.difference(decoder) <= 1e-5);
      wandering.wander();
    }
  }
}

}  // namespace
}  // namespace calque
