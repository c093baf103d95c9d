#pragma once
// The preparation of a run's images, which a run stores in RUN/images.txt. A run with
// model.init_from starts from the preparation of the run that these weights belong to, if that run
// is on images.

#include <optional>
#include <string>

#include "data/images/preparation.h"
#include "train/task.h"

namespace calque {

inline constexpr SideFile preparation_file = {
    &RunFolder::images, "images are prepared differently from those", "runs on the same images"};
void save_preparation(const ImagePreparation& preparation, const RunFolder& run);
// Throws an Error if the file is missing or damaged.
ImagePreparation load_preparation(const RunFolder& run);

// The preparation of the run that `weights` belong to; nothing if they do not belong to a run on
// images. `weights` is the path of a run, a checkpoint, or a file of a checkpoint.
std::optional<ImagePreparation> preparation_beside(const std::string& weights);

}  // namespace calque
