// Images in IDX, PNG and JPEG files, damaged files, and drawn shapes.
#include "data/images/images.h"

#include <doctest/doctest.h>
#include <png.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

// After <cstdio>, whose size_t and FILE it needs.
#include <jpeglib.h>

#include "data/files/gzip_bytes.h"
#include "data/temporary_folder.h"
#include "support/message_of.h"

using namespace calque;

namespace {

std::string idx(const std::string& content) { return std::string("\0\0\x08", 3) + content; }

const std::string two_images =
    idx(std::string("\x03\0\0\0\2\0\0\0\1\0\0\0\3", 13) + std::string("\1\2\3\4\5\xff", 6));
const std::string two_labels = idx(std::string("\1\0\0\0\2\7\0", 7));

std::string png_bytes(uint32_t width, uint32_t height, uint32_t format,
                      const std::vector<uint8_t>& pixels) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = width;
  png.height = height;
  png.format = format;
  png_alloc_size_t size = 1 << 20;
  std::string bytes(size, '\0');
  REQUIRE(png_image_write_to_memory(&png, bytes.data(), &size, 0, pixels.data(), 0, nullptr) != 0);
  bytes.resize(size);
  return bytes;
}

std::string gray_png_of_16_bits(const std::vector<uint16_t>& row) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  const auto append = [](png_structp to, png_bytep data, size_t size) {
    static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<char*>(data), size);
  };
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_IHDR(png, info, static_cast<uint32_t>(row.size()), 1, 16, PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  std::vector<uint8_t> big_endian;
  for (const uint16_t pixel : row) {
    big_endian.push_back(static_cast<uint8_t>(pixel >> 8));
    big_endian.push_back(static_cast<uint8_t>(pixel & 0xff));
  }
  png_write_row(png, big_endian.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::string jpeg_bytes(uint32_t width, uint32_t height, int channels, uint8_t value) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = channels;
  jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<uint8_t> line(width * static_cast<uint32_t>(channels), value);
  JSAMPROW row = line.data();
  while (jpeg.next_scanline < height) jpeg_write_scanlines(&jpeg, &row, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const std::string bytes(reinterpret_cast<char*>(memory), size);
  std::free(memory);
  return bytes;
}

}  // namespace

TEST_CASE("IDX files hold images and labels, plain or gzip") {
  const TemporaryFolder folder;
  const std::string labels = folder.write("t-labels-idx1-ubyte", two_labels);
  for (const std::string& bytes : {two_images, gzip_bytes(two_images)}) {
    const ImageSet set = read_idx(folder.write("t-images-idx3-ubyte", bytes), labels);
    CHECK(set.shape == ImageShape{1, 3, 1});
    CHECK(set.labels == std::vector<std::string>{"7", "0"});
    CHECK(set.pixels == std::vector<uint8_t>{1, 2, 3, 4, 5, 255});
    CHECK(set.image(1)[2] == 255);
  }
  CHECK(idx_labels_beside("a/t-images-idx3-ubyte.gz") == "a/t-labels-idx1-ubyte.gz");
  CHECK(idx_labels_beside("images-idx3/x") == "");
}

TEST_CASE("damaged IDX files are refused with their name") {
  const TemporaryFolder folder;
  const std::string labels = folder.write("labels", two_labels), images = folder.path("images");
  const auto refused = [&](const std::string& bytes) {
    folder.write("images", bytes);
    return message_of([&] { read_idx(images, labels); });
  };
  CHECK(refused("") == images + ": the file is empty");
  CHECK(refused("abc").starts_with(images + ": is not an IDX file of images"));
  CHECK(refused(two_labels).starts_with(images + ": is not an IDX file of images (it must begin "));
  CHECK(refused(two_images.substr(0, 9)) == images + ": the header ends after 9 of 16 bytes");
  CHECK(refused(two_images.substr(0, 20)) ==
        images + ": has 4 bytes after the header, but the header requires 6; copy the file again");
  CHECK(refused(two_images + "x").find("has 7 bytes after the header") != std::string::npos);
  CHECK(refused(idx(std::string("\x03\0\0\0\2\0\0\0\0\0\0\0\3", 13))) ==
        images + ": the length of axis 2 is 0; it must be 1 to 4096");
  CHECK(refused(idx("\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
            .starts_with(images + ": the length of axis 2 is 4294967295; it must be 1 to 4096"));
  CHECK(refused(gzip_bytes(two_images).substr(0, 15)).starts_with(images + ": "));
  const std::string more = idx(std::string("\1\0\0\0\3\7\0\1", 8));
  folder.write("images", two_images);
  folder.write("labels", more);
  CHECK(message_of([&] { read_idx(images, labels); }) ==
        labels + ": has 3 labels, but " + images + " has 2 images");
}

TEST_CASE("PNG files are gray or in color, and transparent parts are black") {
  const TemporaryFolder folder;
  const Image gray = read_image(folder.write("a.png", png_bytes(2, 1, PNG_FORMAT_GRAY, {7, 200})));
  CHECK(gray.shape == ImageShape{1, 2, 1});
  CHECK(gray.pixels == std::vector<uint8_t>{7, 200});
  const Image color =
      read_image(folder.write("b.png", png_bytes(1, 1, PNG_FORMAT_RGBA, {9, 8, 7, 255})));
  CHECK(color.shape == ImageShape{1, 1, 3});
  CHECK(color.pixels == std::vector<uint8_t>{9, 8, 7});
  const Image clear =
      read_image(folder.write("c.png", png_bytes(1, 1, PNG_FORMAT_RGBA, {9, 8, 7, 0})));
  CHECK(clear.pixels == std::vector<uint8_t>{0, 0, 0});
}

TEST_CASE("a PNG of 16 bits per channel keeps the high byte of each pixel") {
  const TemporaryFolder folder;
  // 2 x 1 pixels of 0x4000 and 0xc080, without a chunk that states their gamma.
  const std::string path = folder.write("a.png", gray_png_of_16_bits({0x4000, 0xc080}));
  const Image image = read_image(path);
  CHECK(image.shape == ImageShape{1, 2, 1});
  CHECK(image.pixels == std::vector<uint8_t>{0x40, 0xc0});
}

TEST_CASE("JPEG files are gray or in color") {
  const TemporaryFolder folder;
  const Image gray = read_image(folder.write("a.jpg", jpeg_bytes(3, 2, 1, 100)));
  CHECK(gray.shape == ImageShape{2, 3, 1});
  for (const uint8_t pixel : gray.pixels) CHECK(std::abs(pixel - 100) <= 2);
  CHECK(read_image(folder.write("b.jpg", jpeg_bytes(3, 2, 3, 100))).shape == ImageShape{2, 3, 3});
  const std::string cmyk = folder.write("c.jpg", jpeg_bytes(3, 2, 4, 100));
  CHECK(message_of([&] { read_image(cmyk); }) ==
        cmyk + ": a JPEG with 4 channels, such as CMYK; convert it to gray or RGB");
}

TEST_CASE("a truncated image, an empty file and other files are refused with their name") {
  const TemporaryFolder folder;
  const std::string png = png_bytes(20, 20, PNG_FORMAT_GRAY, std::vector<uint8_t>(400, 3));
  const std::string jpeg = jpeg_bytes(64, 64, 1, 100);
  const std::string file = folder.path("x.png");
  const auto refused = [&](const std::string& bytes) {
    folder.write("x.png", bytes);
    return message_of([&] { read_image(file); });
  };
  CHECK(refused("") == file + ": the file is empty; give a PNG or JPEG file");
  CHECK(refused("GIF89a") == file + ": is neither PNG nor JPEG; give a PNG or JPEG file");
  for (size_t size = 4; size < png.size() - 12; ++size) {  // the last chunk has no pixels
    CAPTURE(size);
    CHECK(refused(png.substr(0, size)).starts_with(file + ": damaged PNG ("));
  }
  for (size_t size = 4; size < jpeg.size() - 2; size += 3) {
    CAPTURE(size);
    CHECK(refused(jpeg.substr(0, size)).starts_with(file + ": damaged JPEG ("));
  }
  CHECK(message_of([&] { read_image(folder.path("none.png")); }).find("none.png") !=
        std::string::npos);
}

TEST_CASE("an image with a side above the limit is refused before its pixels are read") {
  const TemporaryFolder folder;
  const std::string png = png_bytes(5000, 1, PNG_FORMAT_GRAY, std::vector<uint8_t>(5000));
  CHECK(message_of([&] { read_image(folder.write("x.png", png)); }) ==
        folder.path("x.png") + ": 5000 x 1 pixels; a side has 1 to 4096");
  const std::string jpeg = jpeg_bytes(5000, 1, 1, 0);
  CHECK(message_of([&] { read_image(folder.write("x.jpg", jpeg)); }) ==
        folder.path("x.jpg") + ": 5000 x 1 pixels; a side has 1 to 4096");
}

TEST_CASE("a folder has a subfolder for each class, and its images have one size") {
  const TemporaryFolder folder;
  const std::string all = folder.path("all");
  std::filesystem::create_directories(all + "/dog");
  std::filesystem::create_directories(all + "/cat");
  CHECK(message_of([&] { read_image_folder(all); }) ==
        all + ": has no images; expected " + all + "/LABEL/*.png or *.jpg");
  folder.write("all/readme.txt", "hello");
  folder.write("all/dog/notes.txt", "hello");
  folder.write("all/dog/b.png", png_bytes(1, 1, PNG_FORMAT_GRAY, {2}));
  folder.write("all/dog/a.PNG", png_bytes(1, 1, PNG_FORMAT_GRAY, {1}));
  folder.write("all/cat/a.jpeg", jpeg_bytes(1, 1, 1, 0));
  const ImageSet set = read_image_folder(all);
  CHECK(set.labels == std::vector<std::string>{"cat", "dog", "dog"});
  CHECK(set.files[1] == all + "/dog/a.PNG");
  CHECK(set.image(1)[0] == 1);
  folder.write("all/dog/c.png", png_bytes(2, 1, PNG_FORMAT_RGB, {1, 2, 3, 4, 5, 6}));
  CHECK(message_of([&] { read_image_folder(all); }) ==
        all + "/dog/c.png: 2 x 1 pixels with 3 channels, but " + all +
            "/cat/a.jpeg has 1 x 1 with 1; set data.image_size to convert them");
  const ImageSet fitted = read_image_folder(all, [](const Image& image) {
    return Image{{1, 1, 1}, {image.pixels.back()}};
  });
  CHECK(fitted.pixels.back() == 6);
}

TEST_CASE("drawn shapes depend only on the seed, the split and their number") {
  const ImageSet ten = toy_shapes(Split::train, 10, 1), twenty = toy_shapes(Split::train, 20, 1);
  CHECK(std::ranges::equal(ten.pixels, std::span(twenty.pixels).first(ten.pixels.size())));
  CHECK(toy_shapes(Split::test, 10, 1).pixels != ten.pixels);
  CHECK(toy_shapes(Split::train, 10, 2).pixels != ten.pixels);
  const ImageSet many = toy_shapes(Split::train, 200, 1);
  CHECK(std::set<std::string>(many.labels.begin(), many.labels.end()) ==
        std::set<std::string>{"cross", "disc", "square", "stripes"});
}
