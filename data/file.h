#pragma once
// A file that closes itself, whose reads and writes are never short and never silent: every call
// either does all it was asked to or throws an Error that names the file and what the system said.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace calque {

class File {
 public:
  File() = default;
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  // An existing regular file (a pipe or a directory is refused).
  static File open(const std::string& path);
  // A nameless file in the system's folder for temporary files; `purpose` goes into error messages.
  static File temporary(const std::string& purpose);

  const std::string& path() const { return path_; }
  int64_t size() const;

  // Fills `out` from `offset` on; returns how much, less than asked for only at the end of the
  // file.
  size_t read_at(int64_t offset, std::span<char> out) const;
  // At the end of what was written before.
  void append(std::string_view bytes);

 private:
  friend class NewFile;
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  void close() noexcept;

  int descriptor_ = -1;
  std::string path_;
};

// A file that comes into being as a whole or not at all: it is written under a temporary name
// beside its own, and takes its name only in finish(), after the system has confirmed that every
// byte is on disk. Without finish() nothing is left behind.
class NewFile {
 public:
  explicit NewFile(std::string path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void append(std::string_view bytes) { file_.append(bytes); }
  void write_at(int64_t offset, std::string_view bytes);
  void finish();

 private:
  std::string path_;
  File file_;
  bool finished_ = false;
};

// Puts the names in a folder on the disk, where the file system leaves that to its users. Returns 0
// or an errno.
int sync_names_of(const std::string& folder);

// Throws the Error of a standard input that did not end but could not be read. To be asked at its
// end, which looks the same.
void check_standard_input();

// The whole content; a file of more than `limit` bytes is an Error.
std::string read_file(const std::string& path, int64_t limit);
void write_file(const std::string& path, std::string_view bytes);

}  // namespace calque
