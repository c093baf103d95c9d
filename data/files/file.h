#pragma once
// Files without short reads and writes: a call succeeds completely or throws an Error with the name
// of the file and the reason. (Only sync_names_of() returns an errno.)

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

  // Opens an existing regular file for reading.
  static File open(const std::string& path);
  // A nameless file in the system's temporary folder; `purpose` is its name in errors.
  static File temporary(const std::string& purpose);

  const std::string& path() const { return path_; }
  int64_t size() const;

  // Fills `out` from `offset` on. Returns the number of bytes, fewer only at the end of the file.
  size_t read_at(int64_t offset, std::span<char> out) const;
  void append(std::string_view bytes);

 private:
  friend class NewFile;
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  void close() noexcept;

  int descriptor_ = -1;
  std::string path_;
};

// A file that appears as a whole or not at all: it is written under a temporary name, and finish()
// renames it after every byte is on disk. Without finish() it is removed.
class NewFile {
 public:
  explicit NewFile(std::string path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void append(std::string_view bytes) { file_.append(bytes); }
  void write_at(int64_t offset, std::string_view bytes);
  void finish();

  // Removes a temporary file, unless a process is still writing it.
  static void remove_unfinished(const std::string& path);

 private:
  std::string path_;
  File file_;
  bool finished_ = false;
};

// Syncs the names in a folder to disk. Returns 0 or an errno.
int sync_names_of(const std::string& folder);

// Call it after the last line of standard input. Throws an Error if a read failed.
void check_standard_input();

// The whole content. Throws an Error for a file of more than `limit` bytes.
std::string read_file(const std::string& path, int64_t limit);
void write_file(const std::string& path, std::string_view bytes);

}  // namespace calque
