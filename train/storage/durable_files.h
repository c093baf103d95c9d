#pragma once
// Durable writing and checked reading of files, on top of file_system.h: interrupted calls are
// repeated, short writes are continued, and results are checked, also that of close() after
// writing. A failed sync is never repeated: the kernel may have dropped the pages that it could not
// write, and a second sync would succeed without them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "train/storage/file_system.h"

namespace calque {

// A call that failed: "x: cannot write: No space left on device; free some space on that disk".
class FileError : public Error {
 public:
  FileError(const std::string& path, std::string_view doing, int code);
  int code() const { return code_; }  // an errno

 private:
  int code_;
};

// A checkpoint that is undamaged but cannot be used: it is from another model or a newer calque, a
// text file in it is too large, or it has no optimizer tensors. Older checkpoints would not help:
// none is tried, and the checkpoint is not set aside.
class Mismatch : public Error {
 public:
  using Error::Error;
};

// The size of a file and the XXH64 of its bytes (as `xxh64sum FILE` prints it): 64 bits make chance
// collisions negligible over millions of checkpoints, and XXH64 is several times faster than a
// disk.
struct Fingerprint {
  uint64_t size = 0;
  uint64_t digest = 0;
  bool operator==(const Fingerprint&) const = default;
};

// A new file, digested as it is written.
class OutputFile {
 public:
  // Allocates `size` bytes at once, if the file system can, so that a full disk is detected before
  // anything is written.
  OutputFile(FileSystem& files, std::string path, uint64_t size);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  Fingerprint finish();  // syncs and closes; without it the file is invalid

 private:
  FileSystem& files_;
  std::string path_;
  int file_;
  Fingerprint written_;
  ContentHash digest_;
};

class InputFile {
 public:
  InputFile(FileSystem& files, std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  uint64_t size() const { return size_; }  // when it was opened
  const std::string& path() const { return path_; }
  // Fills the span with the bytes at `offset`. Throws an Error if the file is too short.
  void read(uint64_t offset, std::span<std::byte> bytes) const;

 private:
  FileSystem& files_;
  std::string path_;
  int file_;
  uint64_t size_ = 0;
};

// The contents of a text file of at most `limit` bytes; a longer one is a Mismatch.
std::string read_text(FileSystem& files, const std::string& path, uint64_t limit);
// Writes a new file and syncs it, but not its name in the folder.
Fingerprint write_text(FileSystem& files, const std::string& path, std::string_view text);
// Creates or replaces a file atomically: at every moment it has the old text or the new one.
void replace_text(FileSystem& files, const std::string& path, std::string_view text);
// The same, but a file that has this text already is not written.
void ensure_text(FileSystem& files, const std::string& path, std::string_view text);

// Calls on plain descriptors.
int open_file(FileSystem& files, const std::string& path, OpenFor use);
void close_file(FileSystem& files, int file, const std::string& path);
// Writes the bytes to an open file. Returns 0 or an errno, and adds the number of bytes written to
// `written`.
int write_all(FileSystem& files, int file, std::string_view bytes, uint64_t& written);

bool exists(FileSystem& files, const std::string& path);
std::vector<std::string> list_folder(FileSystem& files, const std::string& path);  // sorted
// Create the folder unless it exists, and sync its name. make_folder() also creates its parents;
// make_subfolder() fails if a parent is missing, because another process must have removed it.
void make_folder(FileSystem& files, const std::string& path);
void make_subfolder(FileSystem& files, const std::string& path);
void sync_folder(FileSystem& files, const std::string& path);
void rename(FileSystem& files, const std::string& from, const std::string& to);
// Removes a file, a link, or a folder with its contents; follows no links. A missing path is fine.
void remove_all(FileSystem& files, const std::string& path);
std::string folder_of(const std::string& path);

// The bytes of the values.
template <class Element>
std::string_view bytes_of(std::span<Element> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// A name from a file, made safe to print: short and without control characters.
std::string printable(std::string_view name);

}  // namespace calque
