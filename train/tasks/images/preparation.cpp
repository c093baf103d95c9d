#include "train/tasks/images/preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "data/files/file.h"
#include "train/storage/durable_files.h"
#include "train/tasks/classes/labels.h"

namespace calque {
namespace {

// The line `resize` is written only if the fit is not that of ImageFit(shape).
std::string text_of(const ImagePreparation& preparation) {
  const auto& [shape, height, width, interpolation] = preparation.fit;
  std::string text = fmt::format("size {} {} {}\nmean {}\ndeviation {}\n", shape.height,
                                 shape.width, shape.channels, fmt::join(preparation.mean, " "),
                                 fmt::join(preparation.deviation, " "));
  if (preparation.fit == ImageFit(shape)) return text;
  return text +
         fmt::format("resize {} {} {}\n", height, width, name_of(interpolations, interpolation));
}

bool is_side(int64_t side) { return side >= 1 && side <= largest_image_side; }

bool read_resize(std::istream& in, ImageFit& fit) {
  std::string interpolation;
  if (!(in >> fit.height >> fit.width >> interpolation)) return false;
  if (!is_side(fit.height) || !is_side(fit.width)) return false;
  if (fit.height < fit.shape.height || fit.width < fit.shape.width) return false;
  for (const auto& [name, choice] : interpolations) {
    if (name == interpolation) fit.interpolation = choice;
  }
  return true;
}

// The inverse of text_of(). Returns nothing if the text has another form.
std::optional<ImagePreparation> parse_preparation(const std::string& text) {
  std::istringstream in(text);
  std::string word;
  ImageShape shape;
  if (!(in >> word >> shape.height >> shape.width >> shape.channels)) return std::nullopt;
  if (!is_side(shape.height) || !is_side(shape.width)) return std::nullopt;
  if (shape.channels != 1 && shape.channels != 3) return std::nullopt;
  ImagePreparation preparation{ImageFit(shape), {}, {}};
  for (std::vector<double>* numbers : {&preparation.mean, &preparation.deviation}) {
    numbers->resize(static_cast<size_t>(shape.channels));
    in >> word;
    for (double& number : *numbers) in >> number;
  }
  if (!in) return std::nullopt;
  if (in >> word && !read_resize(in, preparation.fit)) return std::nullopt;
  if (text_of(preparation) != text) return std::nullopt;
  return preparation;
}

}  // namespace

void save_preparation(const ImagePreparation& preparation, const RunFolder& run) {
  ensure_text(real_files(), run.images(), text_of(preparation));
}

ImagePreparation load_preparation(const RunFolder& run) {
  constexpr int64_t largest = 4096;
  const std::string path = run.images();
  if (!std::filesystem::exists(path))
    fail("{}: is missing; restore it, or {}", path, written_again);
  const auto preparation = parse_preparation(read_file(path, largest));
  if (!preparation) {
    fail(
        "{}: does not hold the size, mean and deviation of images; restore it, or remove it and {}",
        path, written_again);
  }
  return *preparation;
}

std::optional<ImagePreparation> preparation_beside(const std::string& weights) {
  namespace fs = std::filesystem;
  fs::path place = fs::weakly_canonical(weights);
  // The deepest path of weights is RUN/checkpoints/CHECKPOINT/model.safetensors.
  for (int levels = 0; levels < 4; ++levels, place = place.parent_path()) {
    const RunFolder run{place.string()};
    if (fs::exists(run.config()) && fs::exists(run.images())) return load_preparation(run);
  }
  return std::nullopt;
}

}  // namespace calque
