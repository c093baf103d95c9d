// Appending lines, and cutting back a log to a checkpoint's step.

#include "train/storage/line_log.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr size_t most_waiting = 8 << 20;
constexpr uint64_t largest_log = uint64_t{4} << 30;

bool ends_torn(FileSystem& files, const std::string& path) {
  const InputFile file(files, path);
  if (file.size() == 0) return false;
  std::byte last{};
  file.read(file.size() - 1, {&last, 1});
  return last != std::byte{'\n'};
}

bool is_later(std::string_view line, int64_t step) {
  const auto json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object()) return false;
  const auto found = json.find("step");
  return found != json.end() && found->is_number_integer() && found->get<int64_t>() > step;
}

}  // namespace

LineLog::LineLog(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {
  file_ = open_file(files_, path_, OpenFor::appending);
  try {
    if (ends_torn(files_, path_)) waiting_ = "\n";
  } catch (const Error&) {
    files_.close(file_);
    throw;
  }
}

LineLog::~LineLog() {
  write_waiting();
  files_.close(file_);
}

int LineLog::write_waiting() {
  uint64_t written = 0;
  const int failure = write_all(files_, file_, waiting_, written);
  waiting_.erase(0, written);
  return failure;
}

std::optional<std::string> LineLog::append(std::string_view line) {
  if (waiting_.size() + line.size() < most_waiting) {
    waiting_.append(line).push_back('\n');
  } else {
    ++lost_;
  }
  const int failure = write_waiting();
  const bool was_failing = std::exchange(failing_, failure != 0);
  if (failure == 0 || was_failing) return std::nullopt;
  return FileError(path_, "write", failure).what();
}

std::optional<std::string> LineLog::sync() {
  int failure = write_waiting();
  if (failure == 0) failure = -files_.sync(file_);
  if (failure == 0) return std::nullopt;
  return FileError(path_, "sync to the disk", failure).what();
}

void cut_back(FileSystem& files, const std::string& path, int64_t step) {
  if (!exists(files, path)) return;
  const std::string text = read_text(files, path, largest_log);
  std::string kept;
  kept.reserve(text.size());
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    const std::string_view line(text.data() + begin, end - begin);
    if (!is_later(line, step)) kept.append(line).push_back('\n');
    begin = end + 1;
  }
  if (kept.size() != text.size()) replace_text(files, path, kept);
}

}  // namespace calque
