#pragma once
// A page about one image: the probabilities of its classes, and the attention of each head of a
// Vision Transformer as a red overlay, which is most opaque on the patch with the largest weight.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace calque {

struct ImageExplanation {
  std::string file, model;
  int64_t height = 0, width = 0, channels = 0, patch = 0;
  std::vector<uint8_t> pixels;                          // channels last
  std::string attention_of;                             // whose attention is shown
  std::vector<std::pair<std::string, double>> classes;  // label and probability, best first
  // [layers][heads][patches], patches row by row
  std::vector<std::vector<std::vector<double>>> attention;
};

std::string image_page(const ImageExplanation& image);
std::string image_json(const ImageExplanation& image);  // all but `pixels` and `attention_of`

}  // namespace calque
