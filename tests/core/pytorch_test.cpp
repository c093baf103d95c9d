// The fused ops against values recorded from PyTorch (tests/reference/core.py).
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/folders.h"
#include "support/gradient_check.h"

using namespace calque;
using Json = nlohmann::json;

namespace {

Tensor tensor_of(const Json& values, const Shape& shape) {
  Tensor x(shape);
  REQUIRE(values.size() == x.span().size());
  for (size_t i = 0; i < values.size(); ++i) x.span()[i] = values[i].get<real>();
  return x;
}

Segments segments_of(const Json& lengths) {
  return Segments::of_lengths(lengths.get<std::vector<int32_t>>());
}

// The op of a recorded case, over its inputs.
Tensor run(const Json& c, const std::vector<Tensor>& x) {
  const std::string name = c["name"];
  const Json& s = c["settings"];
  if (name == "linear relu") return linear(x[0], x[1], x[2], Activation::relu);
  if (name == "linear gelu") return linear(x[0], x[1], x[2], Activation::gelu);
  if (name == "linear silu") return linear(x[0], x[1], x[2], Activation::silu);
  if (name == "residual_norm") return residual_norm(x[0], x[1], 0, x[2], x[3]);
  if (name == "attention") {
    AttentionOptions options{.heads = s["heads"], .causal = s["causal"]};
    if (s.contains("sparse")) {
      options.sparsity = {
          .window = s["sparse"][0], .dilation = s["sparse"][1], .global = s["sparse"][2]};
    }
    return attention(x[0], x[1], x[2], segments_of(s["queries"]), segments_of(s["keys"]), options);
  }
  if (name == "agreeing_cross_entropy") {
    return agreeing_cross_entropy(x[0], x[1], x[2], x[3], s["expected"].get<std::vector<int32_t>>(),
                                  s["smoothing"].get<real>(), s["agreement"].get<real>())
        .loss;
  }
  if (name == "gru" || name == "lstm") {
    const bool lstm = name == "lstm";
    const Tensor in = linear(x[0], transpose(x[2]), x[4]);
    const Tensor hidden = lstm ? slice_cols(x[1], 0, x[1].cols() / 2) : x[1];
    const Tensor back = linear(hidden, transpose(x[3]), x[5]);
    return lstm ? lstm_step(in, back, x[1]) : gru_step(in, back, x[1]);
  }
  if (name == "attend_once") {
    std::vector<KeyRows> ranges;
    for (size_t i = 0; i < s["ranges"].size(); i += 2) {
      ranges.push_back({s["ranges"][i], s["ranges"][i + 1]});
    }
    return attend_once(x[0], x[1], x[2], x.size() > 3 ? x[3] : Tensor{}, ranges);
  }
  if (name == "negative_sampling") {
    return negative_sampling(x[0], x[1], s["candidates"].get<std::vector<int32_t>>()).loss;
  }
  REQUIRE(name == "projected_cross_entropy");
  return projected_cross_entropy(x[0], x[1], x[2], s["expected"].get<std::vector<int32_t>>(),
                                 s["smoothing"].get<real>())
      .loss;
}

}  // namespace

TEST_CASE("fused ops agree with PyTorch to 1e-5, values and gradients") {
  std::ifstream file(CALQUE_SOURCE_DIR "/tests/core/pytorch.json");
  const Json recorded = Json::parse(file);
  REQUIRE(recorded["cases"].size() == 18);
  for (const Json& c : recorded["cases"]) {
    CAPTURE(c["name"].get<std::string>());
    std::vector<Tensor> inputs;
    for (const Json& input : c["inputs"]) {
      const auto sizes = input["shape"].get<std::vector<int64_t>>();
      inputs.push_back(variable(tensor_of(input["values"], Shape(sizes))));
    }
    const Tape tape;
    const Tensor y = run(c, inputs);
    CHECK(relative_error(y.span(), tensor_of(c["output"], y.shape()).span()) < 1e-5);
    Tensor pattern(y.shape());
    for (size_t i = 0; i < pattern.span().size(); ++i) {
      pattern.span()[i] = static_cast<real>(std::cos(static_cast<double>(i)));
    }
    backward(y, pattern);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor right = tensor_of(c["gradients"][i], inputs[i].shape());
      CHECK(relative_error(inputs[i].gradient().span(), right.span()) < 1e-5);
    }
  }
}
