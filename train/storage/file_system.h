#pragma once
// The system calls of storage behind an interface, so that tests can make any call fail and
// simulate crashes. Every call returns the kernel's result, at least 0, or a negated errno;
// durable_files.h decides what to retry and report.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace calque {

enum class OpenFor {
  reading,    // a file that exists
  creating,   // a file that does not exist yet
  appending,  // created if it does not exist; every write goes to the end
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual int open(const std::string& path, OpenFor use) = 0;  // returns a descriptor
  virtual int64_t size(int file) = 0;  // an error unless it is a regular file
  virtual int64_t read(int file, std::span<std::byte> bytes, int64_t offset) = 0;
  virtual int64_t write(int file, std::span<const std::byte> bytes) = 0;
  virtual int allocate(int file, int64_t size) = 0;  // reserves disk space and sets the size
  virtual int sync(int file) = 0;
  virtual int close(int file) = 0;

  virtual int make_folder(const std::string& path) = 0;
  virtual int list_folder(const std::string& path, std::vector<std::string>& names) = 0;
  virtual int sync_folder(const std::string& path) = 0;
  virtual int rename(const std::string& from, const std::string& to) = 0;
  virtual int make_link(const std::string& target, const std::string& path) = 0;  // symbolic
  virtual int remove(const std::string& path) = 0;  // a file, a link, or an empty folder
};

// The operating system's files. The first call makes the process ignore SIGXFSZ, so that exceeding
// a file-size limit (ulimit -f) fails one write instead of ending the program.
FileSystem& real_files();

}  // namespace calque
