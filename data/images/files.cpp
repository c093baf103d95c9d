// PNG and JPEG files, and folders of them.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <filesystem>
#include <utility>

// After <cstdio>, whose size_t and FILE it needs.
#include <jpeglib.h>

#include "core/error.h"
#include "data/files/file.h"
#include "data/images/images.h"
#include "data/text/lowercase.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

bool has_valid_sides(int64_t height, int64_t width) {
  return height > 0 && width > 0 && std::max(height, width) <= largest_image_side;
}

[[noreturn]] void refuse_sides(const std::string& path, int64_t height, int64_t width) {
  fail("{}: {} x {} pixels; a side has 1 to {}", path, width, height, largest_image_side);
}

Image read_png(const std::string& path, const std::string& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const auto fail_here = [&] {
    const std::string message = png.message;
    png_image_free(&png);
    fail("{}: damaged PNG ({}); replace or remove the file", path, message);
  };
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) fail_here();
  const int64_t height = png.height, width = png.width;
  if (!has_valid_sides(height, width)) {
    png_image_free(&png);
    refuse_sides(path, height, width);
  }
  const bool color = (png.format & PNG_FORMAT_FLAG_COLOR) != 0;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // without it, 16 bits would be linear intensities
  png.format = color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  Image image{{height, width, color ? 3 : 1}, {}};
  image.pixels.resize(static_cast<size_t>(image.shape.size()));
  const png_color black{};
  if (png_image_finish_read(&png, &black, image.pixels.data(), 0, nullptr) == 0) fail_here();
  return image;
}

// libjpeg reports errors by a call that must not return.
struct JpegErrors {
  jpeg_error_mgr manager;  // first, so that a pointer to it points to the whole
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void jump_out(j_common_ptr jpeg) {
  auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
  jpeg->err->format_message(jpeg, errors->message);
  std::longjmp(errors->jump, 1);
}

// Warnings are about data that is missing or damaged.
void refuse_warning(j_common_ptr jpeg, int level) {
  if (level < 0) jump_out(jpeg);
}

// If the data is invalid, returns false and sets errors.message. No local variable has a
// destructor, because longjmp() skips destructors. An image of invalid sides or channels gets no
// pixels.
bool decode_jpeg(const std::string& bytes, Image& image, JpegErrors& errors) {
  jpeg_decompress_struct jpeg{};
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = jump_out;
  errors.manager.emit_message = refuse_warning;
  if (setjmp(errors.jump) != 0) {
    jpeg_destroy_decompress(&jpeg);
    return false;
  }
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  image.shape = {int64_t{jpeg.image_height}, int64_t{jpeg.image_width}, jpeg.num_components};
  const bool has_colors = jpeg.num_components == 1 || jpeg.num_components == 3;
  if (has_colors && has_valid_sides(image.shape.height, image.shape.width)) {
    jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg);
    image.pixels.resize(static_cast<size_t>(image.shape.size()));
    const auto row_size = static_cast<size_t>(image.shape.width * image.shape.channels);
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW row = image.pixels.data() + jpeg.output_scanline * row_size;
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
  }
  jpeg_destroy_decompress(&jpeg);
  return true;
}

Image read_jpeg(const std::string& path, const std::string& bytes) {
  Image image;
  JpegErrors errors{};
  if (!decode_jpeg(bytes, image, errors)) {
    fail("{}: damaged JPEG ({}); replace or remove the file", path, errors.message);
  }
  const auto& [height, width, channels] = image.shape;
  if (!has_valid_sides(height, width)) refuse_sides(path, height, width);
  if (channels != 1 && channels != 3) {
    fail("{}: a JPEG with {} channels, such as CMYK; convert it to gray or RGB", path, channels);
  }
  return image;
}

bool is_image_name(const fs::path& path) {
  const std::string extension = ascii_lowercase(path.extension().string());
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

std::vector<fs::path> sorted_entries(const std::string& folder) {
  std::error_code problem;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (!at->path().filename().string().starts_with('.')) entries.push_back(at->path());
  }
  if (problem) fail("{}: cannot read the folder: {}", folder, problem.message());
  std::ranges::sort(entries);
  return entries;
}

void check_label(const std::string& path, const std::string& label) {
  if (label.find('\n') != label.npos) {
    fail("{}: the name of a class has a line break; rename the folder", path);
  }
}

}  // namespace

Image read_image(const std::string& path) {
  constexpr int64_t largest_file = int64_t{64} << 20;
  const std::string bytes = read_file(path, largest_file);
  if (bytes.starts_with("\x89PNG")) return read_png(path, bytes);
  if (bytes.starts_with("\xff\xd8\xff")) return read_jpeg(path, bytes);
  fail("{}: {}; give a PNG or JPEG file", path,
       bytes.empty() ? "the file is empty" : "is neither PNG nor JPEG");
}

ImageSet read_image_folder(const std::string& folder, const std::function<Image(Image)>& fit) {
  ImageSet set;
  for (const fs::path& entry : sorted_entries(folder)) {
    std::error_code unreadable;
    if (!fs::is_directory(entry, unreadable)) continue;
    const std::string label = entry.filename().string();
    check_label(entry.string(), label);
    for (const fs::path& file : sorted_entries(entry.string())) {
      if (!is_image_name(file)) continue;
      Image image = read_image(file.string());
      if (fit) image = fit(std::move(image));
      if (set.files.empty()) set.shape = image.shape;
      if (image.shape != set.shape) {
        fail(
            "{}: {} x {} pixels with {} channels, but {} has {} x {} with {}; set "
            "data.image_size to convert them",
            file.string(), image.shape.width, image.shape.height, image.shape.channels,
            set.files.front(), set.shape.width, set.shape.height, set.shape.channels);
      }
      set.pixels.insert(set.pixels.end(), image.pixels.begin(), image.pixels.end());
      set.labels.push_back(label);
      set.files.push_back(file.string());
    }
  }
  if (set.files.empty()) {
    fail("{}: has no images; expected {}/LABEL/*.png or *.jpg", folder, folder);
  }
  return set;
}

}  // namespace calque
