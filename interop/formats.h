#pragma once
// The formats of `calque export`, and which models each of them holds. An export is exact or
// refused, except that CTranslate2 can round weights to int8 and llama.cpp approximates GELU. An
// Obstacle is a setting that the format cannot hold.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/named.h"
#include "train/config/config.h"

namespace calque {

enum class ExportFormat { ctranslate2, huggingface, onnx, marian, gguf, numpy, safetensors };
inline constexpr Named<ExportFormat> export_formats[] = {
    {"ctranslate2", ExportFormat::ctranslate2},
    {"huggingface", ExportFormat::huggingface},
    {"onnx", ExportFormat::onnx},
    {"marian", ExportFormat::marian},
    {"gguf", ExportFormat::gguf},
    {"numpy", ExportFormat::numpy},
    {"safetensors", ExportFormat::safetensors}};

struct Obstacle {
  std::string key;    // "model.positions"
  std::string value;  // "rotary"
};

// The format of that name. Requires one of export_format_names().
ExportFormat export_format_named(std::string_view name);
std::vector<std::string> export_format_names();

// The settings of the config that the format cannot hold.
std::vector<Obstacle> obstacles(ExportFormat format, const Config& config);

// One line that names the obstacle and the formats that can hold the model:
// "model.positions is rotary, which huggingface cannot hold; ctranslate2, numpy can".
std::string obstacle_text(const Obstacle& obstacle, ExportFormat format, const Config& config);

// Throws an Error for the first obstacle, if there is one. The message begins with `place`.
void require_exportable(ExportFormat format, const Config& config, const std::string& place);

}  // namespace calque
