#include "train/storage/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "data/files/file.h"

namespace calque {
namespace {

template <class Result>
Result or_error(Result result) {
  return result < 0 ? static_cast<Result>(-errno) : result;
}

class RealFiles final : public FileSystem {
 public:
  RealFiles() { std::signal(SIGXFSZ, SIG_IGN); }

  int open(const std::string& path, OpenFor use) override {
    // O_NONBLOCK: opening a named pipe for reading must not wait for a writer.
    constexpr int common = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    switch (use) {
      case OpenFor::reading:
        return or_error(::open(path.c_str(), O_RDONLY | common));
      case OpenFor::creating:
        return or_error(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | common, 0666));
      case OpenFor::appending:
        return or_error(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | common, 0666));
    }
    return -EINVAL;
  }

  int64_t size(int file) override {
    struct stat status {};
    if (::fstat(file, &status) < 0) return -errno;
    if (S_ISDIR(status.st_mode)) return -EISDIR;
    if (!S_ISREG(status.st_mode)) return -ENODEV;
    return status.st_size;
  }

  int64_t read(int file, std::span<std::byte> bytes, int64_t offset) override {
    return or_error(::pread(file, bytes.data(), bytes.size(), offset));
  }

  int64_t write(int file, std::span<const std::byte> bytes) override {
    return or_error(::write(file, bytes.data(), bytes.size()));
  }

  int allocate(int file, int64_t size) override {
#ifdef __linux__
    // Not posix_fallocate, which writes zeros where the file system cannot allocate.
    return or_error(::fallocate(file, 0, 0, size));
#else
    return -EOPNOTSUPP;
#endif
  }

  int sync(int file) override { return or_error(::fsync(file)); }
  int close(int file) override { return or_error(::close(file)); }
  int make_folder(const std::string& path) override {
    return or_error(::mkdir(path.c_str(), 0777));
  }

  int list_folder(const std::string& path, std::vector<std::string>& names) override {
    names.clear();
    DIR* folder = ::opendir(path.c_str());
    if (!folder) return -errno;
    errno = 0;
    while (const dirent* entry = ::readdir(folder)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    const int failure = errno;
    ::closedir(folder);
    return -failure;
  }

  int sync_folder(const std::string& path) override { return -sync_names_of(path); }

  int rename(const std::string& from, const std::string& to) override {
    return or_error(::rename(from.c_str(), to.c_str()));
  }
  int make_link(const std::string& target, const std::string& path) override {
    return or_error(::symlink(target.c_str(), path.c_str()));
  }
  int remove(const std::string& path) override { return or_error(std::remove(path.c_str())); }
};

}  // namespace

FileSystem& real_files() {
  static RealFiles files;
  return files;
}

}  // namespace calque
