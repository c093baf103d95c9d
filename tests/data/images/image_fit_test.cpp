// Resized images. The expected numbers are those of Pillow 13: Image.resize((width, height)) and
// Image.convert("L").
#include <doctest/doctest.h>

#include "data/images/fit.h"

using namespace calque;

namespace {

using Pixels = std::vector<uint8_t>;

Image gray_image() {
  Image image{{5, 7, 1}, {}};
  for (int64_t i = 0; i < 35; ++i) {
    image.pixels.push_back(static_cast<uint8_t>((i * i * 7 + 13 * i) % 256));
  }
  return image;
}

Image color_image() {
  Image image{{2, 3, 3}, {}};
  for (int64_t i = 0; i < 6; ++i) {
    for (const int64_t value : {10 * i, 255 - 20 * i, i * i * 9}) {
      image.pixels.push_back(static_cast<uint8_t>(value));
    }
  }
  return image;
}

}  // namespace

TEST_CASE("resized images equal those of Pillow") {
  const Image image = gray_image();
  using enum Interpolation;
  CHECK(resized(image, 2, 3, bilinear).pixels == Pixels{93, 142, 163, 118, 173, 149});
  CHECK(resized(image, 8, 4, bilinear).pixels ==
        Pixels{11,  61,  162, 149, 58, 85,  162, 131, 119, 121, 164, 116, 120, 180, 189, 191,
               102, 198, 188, 199, 67, 174, 161, 140, 122, 133, 163, 116, 168, 103, 167, 102});
  CHECK(resized(image, 3, 7, bilinear).pixels == Pixels{76,  29,  105, 85,  189, 197, 73,
                                                        57,  159, 190, 178, 180, 196, 169,
                                                        139, 107, 89,  231, 131, 155, 83});
  CHECK(resized(image, 2, 3, bicubic).pixels == Pixels{86, 145, 166, 121, 177, 148});
  CHECK(resized(image, 8, 4, bicubic).pixels ==
        Pixels{0,  54,  169, 155, 51, 73,  166, 128, 122, 115, 166, 112, 125, 192, 191, 203,
               95, 217, 191, 214, 53, 183, 165, 136, 120, 129, 169, 105, 177, 93,  176, 95});
  CHECK(resized(color_image(), 3, 2, bilinear).pixels ==
        Pixels{4, 248, 3, 16, 223, 26, 19, 218, 54, 31, 193, 111, 34, 188, 105, 46, 163, 195});
  // Columns first: many fewer rows, and more columns.
  CHECK(resized(image, 2, 9, bilinear).pixels == Pixels{78, 79, 108, 136, 114, 175, 192, 165, 112,
                                                        95, 118, 131, 151, 218, 160, 162, 157,
                                                        118});
  CHECK(resized(image, 2, 9, bicubic).pixels == Pixels{72, 71, 109, 141, 109, 178, 205, 169, 110,
                                                       97, 124, 132, 149, 224, 157, 160, 159, 117});
  CHECK(resized(image, 5, 7, bicubic).pixels == image.pixels);
  CHECK(resized(image, 1, 1, bilinear).shape == ImageShape{1, 1, 1});
}

TEST_CASE("color becomes gray by its luma, and gray gets three channels") {
  const Image color{{1, 6, 3},
                    {0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 12, 200, 77}};
  const Image gray = with_channels(color, 1);
  CHECK(gray.shape == ImageShape{1, 6, 1});
  CHECK(gray.pixels == Pixels{0, 255, 76, 150, 29, 130});
  CHECK(with_channels({{1, 2, 1}, {3, 9}}, 3).pixels == Pixels{3, 3, 3, 9, 9, 9});
  CHECK(with_channels(color, 3).pixels == color.pixels);
}

TEST_CASE("a fit resizes an image and cuts out its center") {
  const Image image = gray_image();
  ImageFit fit({3, 3, 1});
  CHECK(fit(image).pixels == resized(image, 3, 3, Interpolation::bilinear).pixels);
  fit.height = 5;
  fit.width = 7;
  // Rows 1 to 3 and columns 2 to 4.
  Pixels center;
  for (const size_t row : {1, 2, 3}) {
    for (const size_t column : {2, 3, 4}) center.push_back(image.pixels[row * 7 + column]);
  }
  CHECK(fit(image).pixels == center);
  CHECK(fit(fit(image)).shape == ImageShape{3, 3, 1});

  const ImageSet set{
      {1, 2, 1}, {10, 30, 50, 70, 20, 40}, {"a", "b", "a"}, {"a/1.png", "b/1.png", "a/2.png"}};
  const ImageSet fitted = ImageFit({1, 1, 3})(set);
  CHECK(fitted.shape == ImageShape{1, 1, 3});
  CHECK(fitted.pixels == Pixels{20, 20, 20, 60, 60, 60, 30, 30, 30});
  CHECK(fitted.labels == set.labels);
  CHECK(fitted.files == set.files);
}
