#pragma once
// The table of formats: the tasks whose models each of them holds, how `calque export` writes them,
// and how `calque import` recognises and reads them.

#include <string>
#include <string_view>
#include <vector>

#include "interop/export_folder.h"
#include "interop/model.h"
#include "interop/obstacles.h"

namespace calque {

struct Format {
  // The models of a task, and what they cannot hold.
  struct Held {
    TaskKind task;
    void (*limit)(Obstacles& in);
  };

  std::string_view name;
  std::vector<Held> models = {};  // empty: bare parameters, of every task
  // How the numbers may be stored, the usual type first; empty: in one way.
  std::vector<std::string_view> types = {};
  bool of_adapters = false;  // holds the adapter of a run alone; the model has adapters
  void (*write)(const AnyExported& from, ExportFolder& to, std::string_view type) = nullptr;
  // The path of the model at `place`; empty if there is none of this format.
  std::string (*find)(const std::string& place) = nullptr;
  AnyImported (*read)(const std::string& path) = nullptr;
};

const std::vector<Format>& formats();
std::vector<std::string> format_names();
// The format of that name. Requires one of format_names().
const Format& format_named(std::string_view name);

// The settings of the config that the format cannot hold.
std::vector<Obstacle> obstacles(const Format& format, const Config& config);

// One line that names the obstacle and the formats that can hold the model:
// "model.positions is rotary, which huggingface cannot hold; ctranslate2, numpy can".
std::string obstacle_text(const Obstacle& obstacle, const Format& format, const Config& config);

// Throws an Error for the first obstacle, if there is one. The message begins with `place`.
void require_exportable(const Format& format, const Config& config, const std::string& place);

// Why the format cannot store numbers so; empty if it can. An empty type is the usual one.
std::string type_problem(const Format& format, std::string_view type);

// Writes the new folder, and reads the files back. Returns a remark, or an empty text. Throws an
// Error for a model that the format cannot hold exactly.
std::string export_model(const Format& format, const AnyExported& from, const std::string& out,
                         std::string_view type = "");

// Reads the model at `place`, a folder or a file, in the format that it is in. Throws an Error for
// a model that is damaged, or that calque cannot represent.
AnyImported import_model(const std::string& place);

}  // namespace calque
