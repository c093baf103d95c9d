// TensorBoard reads files with "tfevents" in their names.
#include "train/report/exports/tensorboard.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "train/report/exports/event_format.h"

namespace calque {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

double now() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_1970).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || !name[0]) return "localhost";
  return name.data();
}

// TensorBoard reads files in the order of their names, so the time precedes the host.
fs::path new_file(const fs::path& folder) {
  const std::string start = fmt::format("events.out.tfevents.{:010}.{}.{}",
                                        static_cast<int64_t>(now()), host_name(), getpid());
  for (int copy = 0;; ++copy) {
    fs::path file = folder / fmt::format("{}.{}", start, copy);
    if (!fs::exists(file)) return file;
  }
}

bool is_key(const std::string& name) { return name == "step" || name == "kind"; }

std::string table_cell(const Json& sample, const char* key) {
  std::string cell;
  const std::string text = sample.value(key, std::string());
  for (const char c : text) cell += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return cell;
}

std::string samples_as_table(const Json& samples) {
  std::string table = "| source | reference | output |\n|---|---|---|\n";
  for (const Json& sample : samples) {
    table += fmt::format("| {} | {} | {} |\n", table_cell(sample, "source"),
                         table_cell(sample, "reference"), table_cell(sample, "output"));
  }
  return table;
}

}  // namespace

TensorBoardWriter::TensorBoardWriter(const fs::path& folder, int64_t first_step) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail("{}: cannot be created ({})", folder.string(), error.message());
  file_ = new_file(folder);
  out_.open(file_, std::ios::binary);
  write(version_event({now(), 0}));
  write(start_event({now(), first_step}));
  flush();
}

void TensorBoardWriter::scalar(std::string_view tag, int64_t step, double value) {
  write(scalar_event({now(), step}, tag, static_cast<float>(value)));
}

void TensorBoardWriter::text(std::string_view tag, int64_t step, std::string_view markdown) {
  write(text_event({now(), step}, tag, markdown));
}

void TensorBoardWriter::record(std::string_view metrics_line) {
  const Json record = Json::parse(metrics_line, nullptr, /*allow_exceptions=*/false);
  const bool usable = record.is_object() && record.contains("kind") && record["kind"].is_string() &&
                      record.contains("step") && record["step"].is_number_integer();
  require(usable, "TensorBoardWriter::record: not a metrics record: {}", metrics_line);
  const std::string kind = record["kind"];
  const int64_t step = record["step"];
  for (const Json& part : {record, record.value("timing", Json::object())}) {
    for (const auto& [name, value] : part.items()) {
      if (value.is_number() && !is_key(name))
        scalar(fmt::format("{}/{}", kind, name), step, value.get<double>());
    }
  }
  if (record.contains("samples"))
    text(kind + "/samples", step, samples_as_table(record["samples"]));
  if (record.contains("text")) text(kind, step, record.value("text", std::string()));
  flush();
}

void TensorBoardWriter::write(std::string_view event) {
  const std::string bytes = framed_record(event);
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void TensorBoardWriter::flush() {
  out_.flush();
  if (!out_)
    fail("{}: cannot be written; free space, or set logging.tensorboard: false", file_.string());
}

}  // namespace calque
