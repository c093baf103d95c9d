// Uses flock, because a lock of fcntl is lost when any other descriptor of the file is closed.
#include "train/storage/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "train/storage/durable_files.h"

namespace calque {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown machine";
}

// The holder writes its name right after it takes the lock; until then, the file may have no name
// or that of an earlier holder.
std::string holder_of(int file) {
  std::array<char, 300> text{};
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  const std::string_view line(text.data(), count > 0 ? static_cast<size_t>(count) : 0);
  const size_t end = line.find('\n');
  return end == line.npos ? "another process" : printable(line.substr(0, end));
}

int take(int file) {
  int result = ::flock(file, LOCK_EX | LOCK_NB);
  while (result < 0 && errno == EINTR) result = ::flock(file, LOCK_EX | LOCK_NB);
  return result < 0 ? errno : 0;
}

}  // namespace

RunLock::RunLock(const std::string& run_folder) {
  const std::string path = run_folder + "/lock";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (file_ < 0) throw FileError(path, "open", errno);
  const int failure = take(file_);
  if (failure == 0) {
    const std::string holder = fmt::format("process {} on {}\n", ::getpid(), host_name());
    // Only the message of a second process needs the name, so a failure to write it is ignored.
    if (::ftruncate(file_, 0) == 0) [[maybe_unused]]
      const auto n = ::write(file_, holder.data(), holder.size());
    return;
  }
  const std::string holder = holder_of(file_);
  ::close(file_);
  if (failure == EWOULDBLOCK) {
    fail("{}: {} is training in this folder; wait for it, or choose another with --run", run_folder,
         holder);
  }
  throw FileError(path, "lock", failure);
}

RunLock::~RunLock() { ::close(file_); }

}  // namespace calque
