#pragma once
// Files written so that they stay, and read so that nothing is believed. Built on the bare calls of
// file_system.h: interrupted calls are made again, short writes continued, every result looked at,
// close included. A sync that failed is never tried again: the kernel may have dropped the pages
// that it could not write, and a second sync would then succeed without them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "data/content_hash.h"
#include "train/storage/file_system.h"

namespace calque {

// A call that failed: "runs/toy/x: cannot write: No space left on device; free some space there".
class FileError : public Error {
 public:
  FileError(const std::string& path, std::string_view doing, int code);
  int code() const { return code_; }  // an errno

 private:
  int code_;
};

// A whole file that is not what is wanted of it: of another model, say, or written by a newer
// calque. It is not damage: no older checkpoint would fit better, and nothing may be set aside.
class Mismatch : public Error {
 public:
  using Error::Error;
};

// What a file holds, in two numbers. XXH64 over all bytes, which `xxh64sum FILE` prints too: 64
// bits leave no room for chance over millions of checkpoints, and it is several times faster than a
// disk.
struct Fingerprint {
  uint64_t size = 0;
  uint64_t digest = 0;
  bool operator==(const Fingerprint&) const = default;
};

// A new file, digested as it is written.
class OutputFile {
 public:
  // `size` is what will be written, so that a full disk shows before anything is.
  OutputFile(FileSystem& files, std::string path, uint64_t size);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  Fingerprint finish();  // sync and close; without it the file is not to be used

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
  // Fills the span from that place in the file; a file that ends earlier is an error.
  void read(uint64_t offset, std::span<std::byte> bytes) const;

 private:
  FileSystem& files_;
  std::string path_;
  int file_;
  uint64_t size_ = 0;
};

// The whole of a text file of at most `limit` bytes; a longer one is a Mismatch.
std::string read_text(FileSystem& files, const std::string& path, uint64_t limit);
// A new file with this text, on the disk when this returns, though not yet its name in the folder.
Fingerprint write_text(FileSystem& files, const std::string& path, std::string_view text);
// Replaces a file, or makes it: at every moment the path holds the old text or the new.
void replace_text(FileSystem& files, const std::string& path, std::string_view text);

// A descriptor, and its end, for what has no class of its own here.
int open_file(FileSystem& files, const std::string& path, OpenFor use);
void close_file(FileSystem& files, int file, const std::string& path);
// Writes the bytes to an open file. Returns 0 or an errno, and counts in `written` what went
// through.
int write_all(FileSystem& files, int file, std::string_view bytes, uint64_t& written);

bool exists(FileSystem& files, const std::string& path);
std::vector<std::string> list_folder(FileSystem& files, const std::string& path);  // sorted
// Makes the folder unless it is there; its name is on the disk when this returns. The first also
// makes the folders that it stands in; for the second they must be there, or somebody has taken
// them away.
void make_folder(FileSystem& files, const std::string& path);
void make_subfolder(FileSystem& files, const std::string& path);
void sync_folder(FileSystem& files, const std::string& path);
void rename(FileSystem& files, const std::string& from, const std::string& to);
// Removes a file, a link or a folder with all that is in it; following no links. Nothing there:
// fine.
void remove_all(FileSystem& files, const std::string& path);
std::string folder_of(const std::string& path);

// Memory as the bytes that are written of it.
template <class Element>
std::string_view bytes_of(std::span<Element> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// A name read from a file, made safe to print: short, and without control characters.
std::string printable(std::string_view name);

}  // namespace calque
