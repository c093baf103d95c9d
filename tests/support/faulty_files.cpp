#include <cerrno>

#include "support/simulated_files.h"

namespace calque {

void FaultyFiles::fail(int64_t call, int code, Fault fault) {
  calls_ = 0;
  at_ = call;
  code_ = code;
  fault_ = fault;
}

bool FaultyFiles::next_call_fails() {
  const int64_t call = calls_++;
  if (at_ < 0 || fault_ == Fault::short_write) return false;
  return fault_ == Fault::from_then_on ? call >= at_ : call == at_;
}

int FaultyFiles::open(const std::string& path, OpenFor use) {
  return next_call_fails() ? -code_ : files_.open(path, use);
}
int64_t FaultyFiles::size(int file) { return next_call_fails() ? -code_ : files_.size(file); }
int64_t FaultyFiles::read(int file, std::span<std::byte> bytes, int64_t offset) {
  return next_call_fails() ? -code_ : files_.read(file, bytes, offset);
}
int64_t FaultyFiles::write(int file, std::span<const std::byte> bytes) {
  if (next_call_fails()) return -code_;
  const bool half = fault_ == Fault::short_write && calls_ - 1 >= at_ && bytes.size() > 1;
  return files_.write(file, half ? bytes.first(bytes.size() / 2) : bytes);
}
int FaultyFiles::allocate(int file, int64_t size) {
  return next_call_fails() ? -code_ : files_.allocate(file, size);
}
int FaultyFiles::sync(int file) { return next_call_fails() ? -code_ : files_.sync(file); }
// Even a close that fails closes the file.
int FaultyFiles::close(int file) {
  const int result = files_.close(file);
  return next_call_fails() ? -code_ : result;
}
int FaultyFiles::make_folder(const std::string& path) {
  return next_call_fails() ? -code_ : files_.make_folder(path);
}
int FaultyFiles::list_folder(const std::string& path, std::vector<std::string>& names) {
  return next_call_fails() ? -code_ : files_.list_folder(path, names);
}
int FaultyFiles::sync_folder(const std::string& path) {
  return next_call_fails() ? -code_ : files_.sync_folder(path);
}
int FaultyFiles::rename(const std::string& from, const std::string& to) {
  return next_call_fails() ? -code_ : files_.rename(from, to);
}
int FaultyFiles::make_link(const std::string& target, const std::string& path) {
  return next_call_fails() ? -code_ : files_.make_link(target, path);
}
int FaultyFiles::remove(const std::string& path) {
  return next_call_fails() ? -code_ : files_.remove(path);
}

}  // namespace calque
