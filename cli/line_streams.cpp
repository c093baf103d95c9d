#include "cli/line_streams.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "cli/output.h"
#include "core/error.h"
#include "data/files/file.h"
#include "data/files/gzip.h"
#include "data/files/zstd.h"
#include "data/text/utf8.h"
#include "data/tokenizers/byte_model.h"

namespace calque {

CLI::Option* add_invalid_utf8(CLI::App* command, InvalidLine& invalid) {
  std::vector<std::string> names;
  for (const Named<InvalidLine>& each : invalid_lines) names.emplace_back(each.name);
  return command
      ->add_option_function<std::string>(
          "--invalid-utf8",
          [&invalid](const std::string& name) { invalid = *choice_named(invalid_lines, name); },
          "A line that is not valid UTF-8: error ends the command (default), replace reads its bad "
          "bytes as U+FFFD, skip reads an empty line")
      ->check(CLI::IsMember(names))
      ->type_name("HOW");
}

LineInput::LineInput(const std::string& file, InvalidLine invalid)
    : name_(file.empty() ? "standard input" : file), invalid_(invalid) {
  constexpr int first_of_gzip = 0x1f, first_of_zstd = 0x28;  // no text begins with the former
  if (file.empty()) return;
  file_.open(file, std::ios::binary);
  if (!file_) fail("{}: cannot be read: {}", file, std::strerror(errno));
  if (std::filesystem::is_directory(file)) fail("{}: is a folder, not a text", file);
  const int first = file_.peek();
  const bool zstd =
      first == first_of_zstd && std::filesystem::is_regular_file(file) && is_zstd(File::open(file));
  if (first == first_of_gzip || zstd) packed_.emplace(file, TextLines::Empty::allowed);
}

bool LineInput::next(std::string& line) {
  if (read(line)) {
    check(line);
    return true;
  }
  note_invalid();
  return false;
}

void LineInput::check(std::string& line) {
  const std::string problem = utf8_problem(line);
  if (problem.empty()) return;
  if (invalid_ == InvalidLine::error) {
    fail("{}: {}; fix the line, or give --invalid-utf8 replace or skip", where(), problem);
  }
  if (invalid_count_++ == 0) first_invalid_ = fmt::format("{}: {}", where(), problem);
  line = invalid_ == InvalidLine::replace ? repaired(line) : "";
}

void LineInput::note_invalid() {
  if (invalid_count_ == 0) return;
  note("calque: {} invalid {} (first: {}); {}\n", invalid_count_,
       invalid_count_ == 1 ? "line" : "lines", first_invalid_,
       invalid_ == InvalidLine::replace ? "bad bytes were read as U+FFFD" : "read as empty");
  invalid_count_ = 0;
}

bool LineInput::read(std::string& line) {
  if (packed_) {
    if (count_ == packed_->count()) return false;
    line_end_ = packed_->line_end(count_);
    line = packed_->line(count_++);
    return true;
  }
  std::istream& in = file_.is_open() ? file_ : std::cin;
  if (!std::getline(in, line)) {
    if (in.bad()) fail("{}: cannot be read", name_);
    if (!file_.is_open()) check_standard_input();
    return false;
  }
  ++count_;
  line_end_ = in.eof() ? "" : "\n";
  if (line.ends_with('\r')) {
    line.pop_back();
    line_end_.insert(0, 1, '\r');
  }
  if (count_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return true;
}

std::string LineInput::where() const { return fmt::format("{}:{}", name_, count_); }

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
  file_ << (is_gzip_name(name_) ? gzip_of(text) : text) << std::flush;
  if (!file_) fail("{}: cannot be written{}", name_, reason_given());
}

}  // namespace calque
