#include "data/files/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "core/error.h"

namespace calque {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

void write_all(int descriptor, int64_t offset, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t done = offset < 0 ? ::write(descriptor, bytes.data(), bytes.size())
                                    : ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("{}: cannot write: {}", path, reason(done < 0 ? errno : ENOSPC));
    bytes.remove_prefix(done);
    if (offset >= 0) offset += done;
  }
}

// Creates a new file. The six X of the pattern become characters that make its name unique.
int open_unique(std::string& pattern, const std::string& purpose) {
  const int descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0) fail("{}: cannot create {}: {}", purpose, pattern, reason(errno));
  return descriptor;
}

void sync_folder_of(const std::string& path) {
  const std::string folder = (std::filesystem::path(path).parent_path() / ".").string();
  const int error = sync_names_of(folder);
  if (error != 0) fail("{}: cannot sync the folder to disk: {}", folder, reason(error));
}

}  // namespace

int sync_names_of(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  // EINVAL: some network file systems do not support fsync of a folder; they sync it themselves.
  const int error = ::fsync(descriptor) < 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  return error;
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    path_ = std::move(other.path_);
  }
  return *this;
}

File::~File() { close(); }

void File::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

File File::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path);
  if (file.descriptor_ < 0) {
    const int error = errno;
    if (error == ENOENT) fail("{}: no such file; check the path", path);
    if (error == EACCES) fail("{}: no permission to read it; check its mode and owner", path);
    fail("{}: cannot open: {}", path, reason(error));
  }
  struct stat status {};
  if (::fstat(file.descriptor_, &status) != 0) fail("{}: cannot open: {}", path, reason(errno));
  if (S_ISDIR(status.st_mode)) fail("{}: is a directory; name a file", path);
  if (!S_ISREG(status.st_mode)) {
    fail("{}: is not a regular file; copy its contents to a file first", path);
  }
  return file;
}

File File::temporary(const std::string& purpose) {
  std::error_code none;
  std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  if (none) folder = "/tmp";
  std::string pattern = (folder / "calque-XXXXXX").string();
  File file(open_unique(pattern, purpose), purpose);
  ::unlink(pattern.c_str());
  return file;
}

int64_t File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("{}: cannot read: {}", path_, reason(errno));
  return status.st_size;
}

size_t File::read_at(int64_t offset, std::span<char> out) const {
  size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = ::pread(descriptor_, out.data() + filled, out.size() - filled,
                                offset + static_cast<int64_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("{}: cannot read: {}", path_, reason(errno));
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

void File::append(std::string_view bytes) { write_all(descriptor_, -1, bytes, path_); }

// The lock lasts until the descriptor is closed, also by the end of the process.
// remove_unfinished() of another process may remove the file before it is locked.
NewFile::NewFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  do {
    std::string pattern = path_ + ".new-XXXXXX";
    const int descriptor = open_unique(pattern, path_);
    file_ = File(descriptor, pattern);
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) continue;
  } while (::fstat(file_.descriptor_, &status) == 0 && status.st_nlink == 0);
  ::fchmod(file_.descriptor_, 0644);
}

void NewFile::remove_unfinished(const std::string& path) {
  // Some network file systems lock only files that are open for writing.
  const File file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK), path);
  if (file.descriptor_ < 0 || ::flock(file.descriptor_, LOCK_EX | LOCK_NB) != 0) return;
  ::unlink(path.c_str());
}

NewFile::~NewFile() {
  if (!finished_) ::unlink(file_.path_.c_str());
}

void NewFile::write_at(int64_t offset, std::string_view bytes) {
  write_all(file_.descriptor_, offset, bytes, file_.path_);
}

void NewFile::finish() {
  if (::fsync(file_.descriptor_) != 0) fail("{}: cannot write: {}", path_, reason(errno));
  if (::rename(file_.path_.c_str(), path_.c_str()) != 0) {
    fail("{}: cannot rename {} to it: {}", path_, file_.path_, reason(errno));
  }
  finished_ = true;
  file_.close();  // only now, because it unlocks the file
  sync_folder_of(path_);
}

void check_standard_input() {
  const int error = errno;
  if (!std::cin.bad() && std::ferror(stdin) == 0) return;
  fail("standard input: cannot be read: {}", reason(error));
}

std::string read_file(const std::string& path, int64_t limit) {
  const File file = File::open(path);
  const int64_t size = file.size();
  if (size > limit)
    fail("{}: {} bytes exceed the limit of {} for this kind of file", path, size, limit);
  std::string bytes(size, '\0');
  bytes.resize(file.read_at(0, bytes));
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  NewFile file(path);
  file.append(bytes);
  file.finish();
}

}  // namespace calque
