#include "train/storage/line_log.h"

#include <algorithm>
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

// Whether a run resumed at `step` writes this line again.
bool is_written_again(std::string_view line, int64_t step, bool validation_owed) {
  const auto json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object()) return false;
  const auto found = json.find("step");
  if (found == json.end() || !found->is_number_integer()) return false;
  const auto line_step = found->get<int64_t>();
  const auto kind = json.value("kind", nlohmann::json());
  const bool of_validation = kind == "valid" || kind == "finding" || kind == "prediction";
  return line_step > step || (line_step == step && validation_owed && of_validation);
}

}  // namespace

template <class Action>
std::optional<std::string> LineLog::attempt(Action&& action) {
  try {
    action();
    failing_ = false;
  } catch (const Error& error) {
    if (!std::exchange(failing_, true)) return error.what();
  }
  return std::nullopt;
}

LineLog::LineLog(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {
  constructor_problem_ = attempt([&] { open(); });
}

LineLog::~LineLog() { close(); }

void LineLog::open() {
  if (file_ >= 0) return;
  const int file = open_file(files_, path_, OpenFor::appending);
  try {
    if (!torn_ && ends_torn(files_, path_)) {
      waiting_.insert(0, "\n");
      torn_ = true;
    }
  } catch (const Error&) {
    files_.close(file);
    throw;
  }
  file_ = file;
}

void LineLog::write_waiting() {
  open();
  uint64_t written = 0;
  const int failure = write_all(files_, file_, waiting_, written);
  waiting_.erase(0, written);
  if (written > 0) torn_ = false;
  if (failure != 0) throw FileError(path_, "write", failure);
}

std::optional<std::string> LineLog::append(std::string_view line) {
  if (waiting_.size() + line.size() < most_waiting) {
    waiting_.append(line).push_back('\n');
  } else {
    ++dropped_;
  }
  const auto problem = attempt([&] { write_waiting(); });
  return constructor_problem_ ? std::exchange(constructor_problem_, std::nullopt) : problem;
}

std::optional<std::string> LineLog::sync() {
  return attempt([&] {
    write_waiting();
    const int result = files_.sync(file_);
    if (result < 0) throw FileError(path_, "sync to the disk", -result);
  });
}

std::optional<std::string> LineLog::close() {
  if (file_ < 0 && waiting_.empty()) return std::nullopt;
  failing_ = false;  // so that an old problem is returned again
  auto problem = attempt([&] { write_waiting(); });
  failing_ = false;
  if (file_ >= 0) {
    auto closing = attempt([&] { close_file(files_, std::exchange(file_, -1), path_); });
    if (!problem) problem = closing;
  }
  const uint64_t missing = lines_missing();
  if (missing == 0) return problem;
  return fmt::format("{}; lines lost: {}",
                     problem.value_or(path_ + ": too many lines waited to be written"), missing);
}

uint64_t LineLog::lines_missing() const {
  const auto breaks = static_cast<uint64_t>(std::ranges::count(waiting_, '\n'));
  return dropped_ + breaks - (torn_ ? 1 : 0);
}

void cut_back(FileSystem& files, const std::string& path, int64_t step, bool validation_owed) {
  if (!exists(files, path)) return;
  const std::string text = read_text(files, path, largest_log);
  std::string kept;
  kept.reserve(text.size());
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    const std::string_view line(text.data() + begin, end - begin);
    if (!is_written_again(line, step, validation_owed)) kept.append(line).push_back('\n');
    begin = end + 1;
  }
  if (kept.size() != text.size()) replace_text(files, path, kept);
}

}  // namespace calque
