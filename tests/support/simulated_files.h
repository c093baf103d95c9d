#pragma once
// A file system in memory that simulates crashes. It records every change and every sync; a crash
// may lose any subset of the changes that are not synced. A synced file keeps its contents, but its
// name may be lost until the folder is synced. Parts of an unsynced write may be lost, with the
// earlier bytes or zeros in their place; each unsynced change of a folder may be lost on its own.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "train/storage/file_system.h"

namespace calque {

class SimulatedFiles final : public FileSystem {
 public:
  SimulatedFiles();  // an empty root folder, in which all paths begin

  int open(const std::string& path, OpenFor use) override;
  int64_t size(int file) override;
  int64_t read(int file, std::span<std::byte> bytes, int64_t offset) override;
  int64_t write(int file, std::span<const std::byte> bytes) override;
  int allocate(int file, int64_t size) override;
  int sync(int file) override;
  int close(int file) override;
  int make_folder(const std::string& path) override;
  int list_folder(const std::string& path, std::vector<std::string>& names) override;
  int sync_folder(const std::string& path) override;
  int rename(const std::string& from, const std::string& to) override;
  int make_link(const std::string& target, const std::string& path) override;
  int remove(const std::string& path) override;

  // Marks the current state as synced, and starts to record.
  void start_recording();
  // Visits the file systems that a crash at any recorded call may leave. Up to 9 unsynced changes
  // are lost in every combination. Of more changes, these are lost: none, all, one, all but one,
  // all from one on, and 300 random subsets.
  void for_each_crash(const std::function<void(SimulatedFiles&)>& visit) const;
  // The same for a crash after the last recorded call.
  void for_each_crash_now(const std::function<void(SimulatedFiles&)>& visit) const;

  size_t open_files() const { return open_.size(); }
  // The bytes of a file, for a test to read or damage.
  std::string& contents(const std::string& path);

 private:
  enum class Kind { file, folder, link };
  struct Node {
    Kind kind = Kind::file;
    std::string bytes;  // of a link: its target
    std::map<std::string, int> children;
  };
  enum class Change { enter, leave, move, extend, fill, sync };
  struct Record {
    Change change;
    int node;  // the folder, or the file
    std::string name = {}, other = {};
    int child = 0;
    int64_t at = 0;
    std::string bytes = {};
  };
  struct Place {
    int folder = -1;  // -1 if the folder does not exist
    std::string name;
    int node = -1;  // -1 if the name does not exist
  };
  struct Opened {
    int node;
    int64_t position;
    bool append;
  };

  Place find(const std::string& path) const;
  int add_node(Kind kind, const Place& place);
  void record(Record record);
  static void apply(const Record& record, std::vector<Node>& nodes);
  std::vector<size_t> unsynced(size_t end) const;
  void visit_crashes_at(size_t end, const std::function<void(SimulatedFiles&)>& visit) const;
  void visit_choice(size_t end, const std::vector<size_t>& lost,
                    const std::function<void(SimulatedFiles&)>& visit) const;

  std::vector<Node> nodes_, on_disk_;
  std::vector<Record> records_;
  std::map<int, Opened> open_;
  int next_file_ = 3;
};

// Passes calls on to another file system. After fail(), one call fails, every call from one on
// fails, or the writes from one call on are short.
class FaultyFiles final : public FileSystem {
 public:
  enum class Fault { once, from_then_on, short_write };
  explicit FaultyFiles(FileSystem& files) : files_(files) {}

  // Counts calls from 0 again. Call number `call` fails with the errno `code`; with from_then_on,
  // so does every later call. With short_write no call fails: from that call on, writes of more
  // than one byte write only half of their bytes.
  void fail(int64_t call, int code, Fault fault = Fault::once);
  int64_t calls() const { return calls_; }

  int open(const std::string& path, OpenFor use) override;
  int64_t size(int file) override;
  int64_t read(int file, std::span<std::byte> bytes, int64_t offset) override;
  int64_t write(int file, std::span<const std::byte> bytes) override;
  int allocate(int file, int64_t size) override;
  int sync(int file) override;
  int close(int file) override;
  int make_folder(const std::string& path) override;
  int list_folder(const std::string& path, std::vector<std::string>& names) override;
  int sync_folder(const std::string& path) override;
  int rename(const std::string& from, const std::string& to) override;
  int make_link(const std::string& target, const std::string& path) override;
  int remove(const std::string& path) override;

 private:
  bool next_call_fails();
  FileSystem& files_;
  int64_t calls_ = 0, at_ = -1;
  int code_ = 0;
  Fault fault_ = Fault::once;
};

}  // namespace calque
