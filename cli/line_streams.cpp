#include "cli/line_streams.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "cli/output.h"
#include "core/error.h"
#include "data/files/file.h"
#include "data/text/utf8.h"

namespace calque {

LineInput::LineInput(const std::string& file) : name_(file.empty() ? "standard input" : file) {
  constexpr int first_byte_of_gzip = 0x1f;  // no text begins with it
  if (file.empty()) return;
  file_.open(file, std::ios::binary);
  if (!file_) fail("{}: cannot be read: {}", file, std::strerror(errno));
  if (std::filesystem::is_directory(file)) fail("{}: is a folder, not a text", file);
  if (file_.peek() == first_byte_of_gzip) gzip_.emplace(file, TextLines::Empty::allowed);
}

bool LineInput::next(std::string& line) {
  if (gzip_) {
    if (count_ == gzip_->count()) return false;
    line = gzip_->line(count_++);
    return true;
  }
  std::istream& in = file_.is_open() ? file_ : std::cin;
  if (!std::getline(in, line)) {
    if (in.bad()) fail("{}: cannot be read", name_);
    if (!file_.is_open()) check_standard_input();
    return false;
  }
  ++count_;
  if (line.ends_with('\r')) line.pop_back();
  if (count_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return true;
}

std::string LineInput::where() const { return fmt::format("{}:{}", name_, count_); }

void LineInput::require_utf8(const std::string& line) const {
  const std::string problem = utf8_problem(line);
  if (!problem.empty()) fail("{}: {}", where(), problem);
}

LineOutput::LineOutput(const std::string& file) : name_(file) {
  if (file.empty()) return;
  file_.open(file, std::ios::binary);
  if (!file_) fail("{}: cannot be written: {}", file, std::strerror(errno));
}

void LineOutput::write(const std::string& text) {
  if (!file_.is_open()) {
    write_output(text);
    finish_output();
    return;
  }
  errno = 0;
  file_ << text << std::flush;
  if (!file_) fail("{}: cannot be written{}", name_, reason_given());
}

}  // namespace calque
