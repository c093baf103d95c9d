#include "train/report/pages/image_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

constexpr int json_digits = 6;

void require_consistent(const ImageExplanation& image) {
  const auto size = static_cast<size_t>(image.height * image.width * image.channels);
  require(image.pixels.size() == size, "image_page: {} bytes for an image of {}",
          image.pixels.size(), size);
  const auto patches =
      static_cast<size_t>(image.height / image.patch * (image.width / image.patch));
  for (const auto& layer : image.attention) {
    for (const auto& head : layer) {
      require(head.size() == patches, "image_page: {} weights for {} patches", head.size(),
              patches);
    }
  }
}

// The image, drawn once; the pictures of all heads refer to it.
std::string symbol_of(const ImageExplanation& image) {
  std::string text = fmt::format(
      "<svg width=\"0\" height=\"0\" style=\"position:absolute\"><symbol id=\"image\" "
      "viewBox=\"0 0 {} {}\" shape-rendering=\"crispEdges\">",
      image.width, image.height);
  const auto channels = static_cast<size_t>(image.channels);
  for (int64_t row = 0; row < image.height; ++row) {
    for (int64_t column = 0; column < image.width; ++column) {
      const uint8_t* p =
          image.pixels.data() + static_cast<size_t>(row * image.width + column) * channels;
      text += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"1\" height=\"1\" fill=\"#{:02x}{:02x}{:02x}\"/>", column,
          row, p[0], p[channels > 1 ? 1 : 0], p[channels > 1 ? 2 : 0]);
    }
  }
  return text + "</symbol></svg>\n";
}

// The image under a red overlay that is most opaque on the patch with the largest weight.
std::string picture(const ImageExplanation& image, const std::vector<double>& weights,
                    const std::string& title) {
  std::string text = fmt::format(
      "<figure><svg viewBox=\"0 0 {0} {1}\"><use href=\"#image\" width=\"{0}\" height=\"{1}\"/>",
      image.width, image.height);
  const double most = weights.empty() ? 0 : std::ranges::max(weights);
  const int64_t patches_per_row = image.width / image.patch;
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto patch = static_cast<int64_t>(i);
    text += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#e8462b\" opacity=\"{:.3f}\">"
        "<title>{:.1f}%</title></rect>",
        patch % patches_per_row * image.patch, patch / patches_per_row * image.patch, image.patch,
        image.patch, most > 0 ? 0.75 * weights[i] / most : 0, 100 * weights[i]);
  }
  return text + fmt::format("</svg><figcaption>{}</figcaption></figure>\n", html_escaped(title));
}

constexpr std::string_view image_page_html = R"(<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{title}}</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2733;background:#fff}
h1{font-size:1.3rem}h2{font-size:1rem;margin:1.5rem 0 .3rem}
.row{display:flex;flex-wrap:wrap;gap:.8rem}figure{margin:0;width:9rem}figure svg{width:100%;display:block}
figcaption{font-size:.8rem;color:#5a6673}
td{padding:.1rem .6rem .1rem 0}td:last-child{width:14rem}
.bar{background:#2f6fab;height:.8rem;min-width:1px}
@media(prefers-color-scheme:dark){body{color:#dde4ea;background:#151a20}figcaption{color:#9aa7b3}}
</style>
{{symbol}}<h1>{{title}}</h1>
<p>{{model}}</p>
<div class="row">{{image}}<table>{{classes}}</table></div>
{{layers}}</html>
)";

}  // namespace

std::string image_page(const ImageExplanation& image) {
  require_consistent(image);
  std::string classes, layers;
  for (const auto& [label, probability] : image.classes) {
    classes += fmt::format(
        "<tr><td>{}</td><td>{:.1f}%</td><td><div class=\"bar\" style=\"width:{:.1f}%\"></div></td>"
        "</tr>\n",
        html_escaped(label), 100 * probability, 100 * probability);
  }
  for (size_t layer = 0; layer < image.attention.size(); ++layer) {
    layers += fmt::format("<h2>Layer {}: attention of {}</h2>\n<div class=\"row\">\n", layer + 1,
                          html_escaped(image.attention_of));
    for (size_t head = 0; head < image.attention[layer].size(); ++head) {
      layers += picture(image, image.attention[layer][head], fmt::format("head {}", head + 1));
    }
    layers += "</div>\n";
  }
  return filled(image_page_html, {{"title", html_escaped(image.file)},
                                  {"symbol", symbol_of(image)},
                                  {"model", html_escaped(image.model)},
                                  {"image", picture(image, {}, "the image")},
                                  {"classes", classes},
                                  {"layers", layers}});
}

std::string image_json(const ImageExplanation& image) {
  require_consistent(image);
  const auto classes = json_list(image.classes, [](const auto& item) {
    return fmt::format("[{},{}]", json_quoted(item.first), json_number(item.second, json_digits));
  });
  const auto attention = json_list(image.attention, [](const auto& layer) {
    return json_list(layer, [](const auto& head) { return json_numbers(head, json_digits); });
  });
  return fmt::format(
      "{{\"file\":{},\n\"model\":{},\n\"height\":{},\"width\":{},\"channels\":{},\"patch\":{},\n"
      "\"classes\":{},\n\"attention\":{}}}\n",
      json_quoted(image.file), json_quoted(image.model), image.height, image.width, image.channels,
      image.patch, classes, attention);
}

}  // namespace calque
