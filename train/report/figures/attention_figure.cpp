// A grid of squares from white to blue, with tokens at the left and the top.
#include "train/report/figures/attention_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "data/text/utf8.h"
#include "train/report/explain_data.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

constexpr double cell_side = 24;
constexpr double character = 6.6;  // mean width in the font below

ExplainedMatrix chosen_weights(const Explanation& explanation, const AttentionChoice& choice) {
  if (!choice.head) {
    ExplainedMatrix mean = mean_weights(explanation.cross, choice.layer);
    if (mean.rows > 0) return mean;
  }
  for (const ExplainedHead& head : explanation.cross) {
    if (choice.head == head.head && choice.layer == head.layer) return head.weights;
  }
  int layers = 0, heads = 0;
  for (const ExplainedHead& head : explanation.cross) {
    layers = std::max(layers, head.layer + 1);
    heads = std::max(heads, head.head + 1);
  }
  fail("no such cross-attention: layers are 1 to {}, heads 1 to {}", layers, heads);
}

std::string color_of(float weight) {
  constexpr std::array<double, 3> dark = {0, 62, 116};
  const double share = std::sqrt(std::clamp(static_cast<double>(weight), 0.0, 1.0));
  const auto channel = [&](size_t i) {
    return static_cast<int>(std::lround(255 + share * (dark[i] - 255)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

std::string title_of(const AttentionChoice& choice) {
  if (!choice.title.empty()) return choice.title;
  if (choice.head)
    return fmt::format("Cross-attention, layer {}, head {}", *choice.layer + 1, *choice.head + 1);
  if (choice.layer)
    return fmt::format("Cross-attention, layer {}, mean of its heads", *choice.layer + 1);
  return "Cross-attention, mean of all layers and heads";
}

double label_width(const Explanation& explanation, const std::vector<int32_t>& tokens) {
  int64_t most = 0;
  for (const int32_t token : tokens) {
    most = std::max(most, count_code_points(explanation.vocabulary[static_cast<size_t>(token)]));
  }
  return character * static_cast<double>(most) + 14;
}

}  // namespace

std::string cross_attention_svg(const Explanation& explanation, const AttentionChoice& choice) {
  require_consistent(explanation);
  require(!choice.head || choice.layer, "cross_attention_svg: a head needs a layer");
  const ExplainedMatrix weights = chosen_weights(explanation, choice);
  const double left = label_width(explanation, explanation.target_tokens);
  const double top = 26 + label_width(explanation, explanation.source_tokens) * 0.75;
  const auto word = [&](int32_t token) {
    return html_escaped(explanation.vocabulary[static_cast<size_t>(token)]);
  };
  std::string body =
      fmt::format("<text x=\"8\" y=\"16\" font-weight=\"bold\">{}</text>\n", title_of(choice));
  for (int64_t column = 0; column < weights.columns; ++column) {
    const double x = left + (static_cast<double>(column) + 0.5) * cell_side;
    body += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-45)\">{}</text>\n", x,
                        top - 6, word(explanation.source_tokens[static_cast<size_t>(column)]));
  }
  for (int64_t row = 0; row < weights.rows; ++row) {
    const double y = top + static_cast<double>(row) * cell_side;
    body += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 6,
                        y + cell_side / 2 + 4,
                        word(explanation.target_tokens[static_cast<size_t>(row)]));
    for (int64_t column = 0; column < weights.columns; ++column) {
      const float weight = weights.values[static_cast<size_t>(row * weights.columns + column)];
      body += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
          "fill=\"{}\"><title>{:.3f}</title></rect>\n",
          left + static_cast<double>(column) * cell_side, y, cell_side, cell_side, color_of(weight),
          weight);
    }
  }
  const double grid_width = static_cast<double>(weights.columns) * cell_side;
  const double grid_height = static_cast<double>(weights.rows) * cell_side;
  body += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#888\"/>\n",
      left, top, grid_width, grid_height);
  const double width = std::max(left + grid_width + 60, 330.0), height = top + grid_height + 10;
  return svg_document(width, height, 12, body);
}

}  // namespace calque
