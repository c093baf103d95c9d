// Makes each call, repeats it if a signal interrupted it, and words the message if it fails.
#include "train/storage/durable_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "data/text/utf8.h"

namespace calque {
namespace {

// Repeats a call that a signal interrupted.
template <class Call>
auto uninterrupted(Call&& call) {
  auto result = call();
  while (result == -EINTR) result = call();
  return result;
}

std::string_view remedy_for(int code) {
  switch (code) {
    case ENOSPC:
      return "free some space on that disk";
    case EDQUOT:
      return "your quota on that disk is used up: free some space, or ask for more";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f)";
    case EIO:
      return "the disk reports a fault: see the system's log, and use another disk";
    case EROFS:
    case EACCES:
    case EPERM:
      return "check who may write there, or choose another folder";
    case ENOENT:
    case ENOTDIR:
      return "check that the path exists";
    case EEXIST:
    case ENOTEMPTY:
      return "something else is there already: move it away";
    case EISDIR:
    case ENODEV:
      return "it must be a plain file";
    case EMFILE:
    case ENFILE:
      return "too many files are open: raise the limit (ulimit -n)";
    case ENOMEM:
      return "not enough memory for that; raise the limit (ulimit -v), if there is one";
    case ELOOP:
      return "a symbolic link there leads to itself";
    default:
      return "see the system's log";
  }
}

std::string message_of(const std::string& path, std::string_view doing, int code) {
  // Not strerror, which is not thread-safe: a thread writes checkpoints.
  return fmt::format("{}: cannot {}: {}; {}", path, doing, std::generic_category().message(code),
                     remedy_for(code));
}

template <class Result>
Result checked(Result result, const std::string& path, std::string_view doing) {
  if (result < 0) throw FileError(path, doing, static_cast<int>(-result));
  return result;
}

int allocate(FileSystem& files, int file, uint64_t size) {
  const int result =
      uninterrupted([&] { return files.allocate(file, static_cast<int64_t>(size)); });
  const bool unsupported = result == -EOPNOTSUPP || result == -ENOSYS || result == -EINVAL;
  return unsupported ? 0 : result;
}

}  // namespace

FileError::FileError(const std::string& path, std::string_view doing, int code)
    : Error(message_of(path, doing, code)), code_(code) {}

OutputFile::OutputFile(FileSystem& files, std::string path, uint64_t size)
    : files_(files), path_(std::move(path)) {
  file_ = open_file(files, path_, OpenFor::creating);
  const int result = size > 0 ? allocate(files, file_, size) : 0;
  if (result < 0) {
    files_.close(file_);
    throw FileError(path_, fmt::format("set aside {} bytes", size), -result);
  }
}

OutputFile::~OutputFile() {
  if (file_ >= 0) files_.close(file_);
}

void OutputFile::write(std::string_view bytes) {
  // In slices, so that the write finds in the cache what the digest has read.
  constexpr size_t slice = 1 << 18;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, slice);
    digest_.add(part);
    const int failure = write_all(files_, file_, part, written_.size);
    if (failure != 0) throw FileError(path_, "write", failure);
    bytes.remove_prefix(part.size());
  }
}

Fingerprint OutputFile::finish() {
  checked(files_.sync(file_), path_, "sync to the disk");
  close_file(files_, std::exchange(file_, -1), path_);
  written_.digest = digest_.value();
  return written_;
}

InputFile::InputFile(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {
  file_ = open_file(files, path_, OpenFor::reading);
  const int64_t size = uninterrupted([&] { return files.size(file_); });
  if (size < 0) {
    files_.close(file_);
    throw FileError(path_, "read", static_cast<int>(-size));
  }
  size_ = static_cast<uint64_t>(size);
}

InputFile::~InputFile() { files_.close(file_); }

void InputFile::read(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const int64_t count = checked(
        uninterrupted([&] { return files_.read(file_, bytes, static_cast<int64_t>(offset)); }),
        path_, "read");
    if (count == 0) fail("{}: ends at byte {}, in the middle of its contents", path_, offset);
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
}

std::string read_text(FileSystem& files, const std::string& path, uint64_t limit) {
  const InputFile file(files, path);
  if (file.size() > limit) {
    throw Mismatch(
        fmt::format("{}: has {} bytes; at most {} are allowed", path, file.size(), limit));
  }
  std::string text(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

Fingerprint write_text(FileSystem& files, const std::string& path, std::string_view text) {
  OutputFile file(files, path, text.size());
  file.write(text);
  return file.finish();
}

void replace_text(FileSystem& files, const std::string& path, std::string_view text) {
  const std::string beside = path + ".tmp";
  remove_all(files, beside);
  try {
    write_text(files, beside, text);
    rename(files, beside, path);
  } catch (const FileError&) {
    files.remove(beside);
    throw;
  }
  sync_folder(files, folder_of(path));
}

void ensure_text(FileSystem& files, const std::string& path, std::string_view text) {
  const bool as_long = exists(files, path) && InputFile(files, path).size() == text.size();
  if (as_long && read_text(files, path, text.size()) == text) return;
  replace_text(files, path, text);
}

int open_file(FileSystem& files, const std::string& path, OpenFor use) {
  return checked(uninterrupted([&] { return files.open(path, use); }), path,
                 use == OpenFor::creating ? "create" : "open");
}

// Even if a signal interrupted close(), the kernel has released the descriptor.
void close_file(FileSystem& files, int file, const std::string& path) {
  const int result = files.close(file);
  if (result != -EINTR) checked(result, path, "close");
}

int write_all(FileSystem& files, int file, std::string_view bytes, uint64_t& written) {
  while (!bytes.empty()) {
    const int64_t count =
        uninterrupted([&] { return files.write(file, std::as_bytes(std::span(bytes))); });
    if (count < 0) return static_cast<int>(-count);
    // Writing 0 bytes is not an error, but repeating it would not end.
    if (count == 0) return EIO;
    written += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

bool exists(FileSystem& files, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  std::vector<std::string> names;
  const int result = uninterrupted([&] { return files.list_folder(folder_of(path), names); });
  if (result == -ENOENT || result == -ENOTDIR) return false;
  checked(result, folder_of(path), "list the folder");
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> list_folder(FileSystem& files, const std::string& path) {
  std::vector<std::string> names;
  checked(uninterrupted([&] { return files.list_folder(path, names); }), path, "list the folder");
  std::ranges::sort(names);
  return names;
}

void make_folder(FileSystem& files, const std::string& path) {
  const int result = uninterrupted([&] { return files.make_folder(path); });
  const std::string parent = folder_of(path);
  if (result == -ENOENT && parent != "." && parent != "/") make_folder(files, parent);
  make_subfolder(files, path);
}

void make_subfolder(FileSystem& files, const std::string& path) {
  const int result = uninterrupted([&] { return files.make_folder(path); });
  if (result != -EEXIST) checked(result, path, "make the folder");
  // Syncs even an existing folder: its creator may have been stopped before the sync. But the
  // parent of an existing folder may be unreadable.
  const int synced = files.sync_folder(folder_of(path));
  if (result == -EEXIST && synced == -EACCES) return;
  checked(synced, folder_of(path), "sync the folder to the disk");
}

void sync_folder(FileSystem& files, const std::string& path) {
  checked(files.sync_folder(path), path, "sync the folder to the disk");
}

void rename(FileSystem& files, const std::string& from, const std::string& to) {
  const int result = uninterrupted([&] { return files.rename(from, to); });
  if (result < 0) throw FileError(to, fmt::format("rename {} to it", from), -result);
}

void remove_all(FileSystem& files, const std::string& path) {
  int result = uninterrupted([&] { return files.remove(path); });
  if (result == -ENOTEMPTY || result == -EEXIST) {
    for (const std::string& name : list_folder(files, path))
      remove_all(files, fmt::format("{}/{}", path, name));
    result = uninterrupted([&] { return files.remove(path); });
  }
  if (result != -ENOENT) checked(result, path, "remove");
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string printable(std::string_view name) {
  constexpr size_t longest = 120;
  size_t end = std::min(name.size(), longest);
  while (is_inside_character(name, end)) --end;
  std::string shown(name.substr(0, end));
  if (end < name.size()) shown += "...";
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return shown;
}

}  // namespace calque
