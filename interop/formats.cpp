#include "interop/formats.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "interop/ctranslate2/format.h"
#include "interop/gguf/format.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/peft.h"
#include "interop/marian/format.h"
#include "interop/numpy/export.h"
#include "interop/onnx/export.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

template <class Model, void (*write)(const Exported<Model>&, ExportFolder&)>
void write_as(const AnyExported& from, ExportFolder& to, std::string_view) {
  write(std::get<Exported<Model>>(from), to);
}

void write_transformers(const AnyExported& from, ExportFolder& to, std::string_view) {
  std::visit(
      [&]<class Model>(const Exported<Model>& own) {
        if constexpr (!std::is_same_v<Model, Parameters>) write_huggingface(own, to);
      },
      from);
}

template <class Model, Imported<Model> (*read)(const std::string&)>
AnyImported read_as(const std::string& path) {
  return read(path);
}

std::string if_exists(const std::string& file, const std::string& place) {
  return fs::exists(file) ? place : "";
}

std::vector<Format::Held> held_by_huggingface() {
  std::vector<Format::Held> held = {{TaskKind::translation, limit_marian_mt},
                                    {TaskKind::language_model, limit_causal_lm},
                                    {TaskKind::images, limit_vit}};
  for (const TaskKind task : bert_tasks()) held.push_back({task, limit_bert});
  return held;
}

// An adapter does not hold the output, so its base may have a bias there.
std::vector<Format::Held> held_by_peft() {
  std::vector<Format::Held> held = held_by_huggingface();
  std::ranges::find(held, TaskKind::language_model, &Format::Held::task)->limit =
      limit_causal_layers;
  return held;
}

std::vector<Format> all_formats() {
  using enum TaskKind;
  return {
      {.name = "ctranslate2",
       .models = {{translation, limit_ctranslate2}},
       .types = {"float32", "int8"},
       .write =
           [](const AnyExported& from, ExportFolder& to, std::string_view type) {
             write_ctranslate2(std::get<Exported<Transformer>>(from), type == "int8", to);
           },
       .find = [](const std::string& place) { return if_exists(place + "/model.bin", place); },
       .read = read_as<Transformer, import_ctranslate2>},
      {.name = "huggingface",
       .models = held_by_huggingface(),
       .write = write_transformers,
       .find = [](const std::string& place) { return if_exists(place + "/config.json", place); },
       .read = import_huggingface},
      {.name = "m2m100",
       .models = {{translation, limit_m2m100}},
       .write = write_as<Transformer, write_m2m100>},
      {.name = "peft",
       .models = held_by_peft(),
       .of_adapters = true,
       .write = [](const AnyExported& from, ExportFolder& to,
                   std::string_view) { write_peft(from, to); }},
      {.name = "onnx",
       .models = {{translation, limit_onnx}},
       .write = write_as<Transformer, write_onnx>},
      {.name = "marian",
       .models = {{translation, limit_marian}},
       .write = write_as<Transformer, write_marian>,
       .find = marian_model,
       .read = read_as<Transformer, import_marian>},
      {.name = "gguf",
       .models = {{language_model, limit_gguf}},
       .types = {"float32", "float16", "bfloat16", "q8_0", "q4_0"},
       .write =
           [](const AnyExported& from, ExportFolder& to, std::string_view type) {
             write_gguf(std::get<Exported<LanguageModel>>(from), type, to);
           },
       .find = [](const std::string& place) -> std::string {
         return fs::path(place).extension() == ".gguf" ? place : "";
       },
       .read = read_as<LanguageModel, import_gguf>},
      {.name = "numpy", .write = write_as<Parameters, write_numpy>},
      {.name = "safetensors", .write = write_as<Parameters, write_plain_safetensors>}};
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = all_formats();
  return all;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return names;
}

const Format& format_named(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  require(found != formats().end(), "format_named: no format is named {}", name);
  return *found;
}

std::vector<Obstacle> obstacles(const Format& format, const Config& config) {
  if (format.models.empty()) return {};
  Obstacles in(config);
  const auto held = std::ranges::find(format.models, config.task, &Format::Held::task);
  in.add_if(held == format.models.end(), "task");
  in.add_of_every_engine();
  if (held != format.models.end()) held->limit(in);
  if (format.of_adapters) in.add_of_adapters();
  return in.take();
}

std::string obstacle_text(const Obstacle& obstacle, const Format& format, const Config& config) {
  std::vector<std::string_view> others;
  for (const Format& other : formats()) {
    if (other.name != format.name && obstacles(other, config).empty()) others.push_back(other.name);
  }
  return fmt::format("{} is {}, which {} cannot hold; {} can", obstacle.key, obstacle.value,
                     format.name, fmt::join(others, ", "));
}

void require_exportable(const Format& format, const Config& config, const std::string& place) {
  const std::vector<Obstacle> found = obstacles(format, config);
  if (found.empty()) return;
  fail("{}: not exported: {}", place, obstacle_text(found.front(), format, config));
}

std::string type_problem(const Format& format, std::string_view type) {
  if (type.empty() || std::ranges::count(format.types, type) > 0) return "";
  if (format.types.empty()) {
    return fmt::format("{} has no types to choose from, such as {}", format.name, type);
  }
  return fmt::format("{} cannot store numbers as {}; it can as {}", format.name, type,
                     fmt::join(format.types, ", "));
}

std::string export_model(const Format& format, const AnyExported& from, const std::string& out,
                         std::string_view type) {
  const std::string problem = type_problem(format, type);
  if (!problem.empty()) fail("{}", problem);
  if (type.empty() && !format.types.empty()) type = format.types.front();
  std::visit([&](const RunParts& parts) { require_exportable(format, parts.config, out); }, from);
  ExportFolder folder(out);
  format.write(from, folder, type);
  folder.finish();
  return folder.remark();
}

AnyImported import_model(const std::string& place) {
  if (!fs::exists(place)) fail("{}: there is no such folder or file", place);
  for (const Format& format : formats()) {
    const std::string path = format.find ? format.find(place) : "";
    if (!path.empty()) return format.read(path);
  }
  fail(
      "{}: not a model that calque imports: neither a folder with a config.json of Hugging Face "
      "transformers, nor one with a model.bin of CTranslate2 or an .npz of Marian, nor a file "
      ".gguf",
      place);
}

}  // namespace calque
