// A library that makes system calls of a program fail, as a faulty disk would. It is loaded with
// LD_PRELOAD and configured by environment variables:
//   FAIL_UNDER   only calls on files and folders whose path begins with this path count, except on
//                lock files
//   FAIL_CALL    open (to write, or of a folder), write, sync, close, rename, mkdir, allocate,
//                link, remove or truncate; or close_read, the close of a file that was only read
//   FAIL_AT      the number of the call to fail, from 0; -1 for none
//   FAIL_WITH    the errno; 0 makes a write short instead
//   FAIL_ON      "once" or "from_then_on"
//   FAIL_REPORT  a file that receives a line for each call under FAIL_UNDER of any of these kinds:
//                the kind, the path, and "failed" if the call fails
// The calls of kind FAIL_CALL are counted over all threads together.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string path_of(int file) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = readlink(link.c_str(), path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<size_t>(length));
}

void report(const std::string& line) {
  static const std::string file = setting("FAIL_REPORT");
  if (file.empty()) return;
  static auto* const open_it = real<int(const char*, int, ...)>("open");
  static auto* const write_it = real<ssize_t(int, const void*, size_t)>("write");
  static auto* const close_it = real<int(int)>("close");
  const int to = open_it(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (to < 0) return;
  [[maybe_unused]] const ssize_t n = write_it(to, line.data(), line.size());
  close_it(to);
}

enum class Verdict { pass, fail, shorten };

// Counts the call, and sets errno if it must fail.
Verdict judge(const char* call, const std::string& path) {
  static const std::string under = setting("FAIL_UNDER"), wanted = setting("FAIL_CALL");
  static const long at = std::atol(setting("FAIL_AT").c_str());
  static const int with = std::atoi(setting("FAIL_WITH").c_str());
  static const bool once = setting("FAIL_ON") != "from_then_on";
  static std::atomic<long> counted{0};
  const int before = errno;
  if (under.empty() || !path.starts_with(under) || path.ends_with("/lock")) return Verdict::pass;
  const bool counts = wanted == call;
  const long number = counts ? counted++ : -1;
  const bool fails = counts && at >= 0 && (once ? number == at : number >= at);
  report(std::string(call) + ' ' + path + (fails ? " failed\n" : "\n"));
  errno = fails ? with : before;
  if (!fails) return Verdict::pass;
  return with == 0 ? Verdict::shorten : Verdict::fail;
}

bool fails(const char* call, const std::string& path) { return judge(call, path) == Verdict::fail; }

// Counts only those calls that create a file, open it for writing, or open a folder to sync it.
bool open_fails(const char* path, int flags) {
  const bool counts = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_DIRECTORY)) != 0;
  return counts && fails("open", path);
}

int allocate(const char* name, int file, int mode, off_t offset, off_t length) {
  if (fails("allocate", path_of(file))) return -1;
  return real<int(int, int, off_t, off_t)>(name)(file, mode, offset, length);
}

int truncate_open(const char* name, int file, off_t length) {
  if (fails("truncate", path_of(file))) return -1;
  return real<int(int, off_t)>(name)(file, length);
}

int open_with_mode(const char* name, const char* path, int flags, va_list more) {
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  if (open_fails(path, flags)) return -1;
  return real<int(const char*, int, ...)>(name)(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = open_with_mode("open", path, flags, more);
  va_end(more);
  return file;
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = open_with_mode("open64", path, flags, more);
  va_end(more);
  return file;
}

int mkstemp(char* path) { return fails("open", path) ? -1 : real<int(char*)>("mkstemp")(path); }

int mkostemp(char* path, int flags) {
  return fails("open", path) ? -1 : real<int(char*, int)>("mkostemp")(path, flags);
}

ssize_t write(int file, const void* bytes, size_t count) {
  const Verdict verdict = judge("write", path_of(file));
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::shorten && count > 1) count /= 2;
  return real<ssize_t(int, const void*, size_t)>("write")(file, bytes, count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  const Verdict verdict = judge("write", path_of(file));
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::shorten && count > 1) count /= 2;
  return real<ssize_t(int, const void*, size_t, off_t)>("pwrite")(file, bytes, count, offset);
}

int fsync(int file) { return fails("sync", path_of(file)) ? -1 : real<int(int)>("fsync")(file); }

// A close that fails has closed the file nevertheless.
int close(int file) {
  const int mode = fcntl(file, F_GETFL);
  const bool only_read = mode >= 0 && (mode & O_ACCMODE) == O_RDONLY && (mode & O_DIRECTORY) == 0;
  const bool failing = fails(only_read ? "close_read" : "close", path_of(file));
  const int failure = errno;
  const int result = real<int(int)>("close")(file);
  if (!failing) return result;
  errno = failure;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  return fails("rename", to) ? -1 : real<int(const char*, const char*)>("rename")(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return fails("mkdir", path) ? -1 : real<int(const char*, mode_t)>("mkdir")(path, mode);
}

int symlink(const char* target, const char* path) noexcept {
  return fails("link", path) ? -1 : real<int(const char*, const char*)>("symlink")(target, path);
}

int remove(const char* path) noexcept {
  return fails("remove", path) ? -1 : real<int(const char*)>("remove")(path);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
  return allocate("fallocate", file, mode, offset, length);
}

int fallocate64(int file, int mode, off_t offset, off_t length) {
  return allocate("fallocate64", file, mode, offset, length);
}

int ftruncate(int file, off_t length) noexcept { return truncate_open("ftruncate", file, length); }

int ftruncate64(int file, off_t length) noexcept {
  return truncate_open("ftruncate64", file, length);
}

}  // extern "C"
