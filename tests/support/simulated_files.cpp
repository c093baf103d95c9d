#include "support/simulated_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>

namespace calque {

SimulatedFiles::SimulatedFiles() : nodes_(1), on_disk_(1) {
  nodes_[0].kind = on_disk_[0].kind = Kind::folder;
}

SimulatedFiles::Place SimulatedFiles::find(const std::string& path) const {
  Place place{.folder = 0, .name = "", .node = 0};
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    place = {.folder = place.node, .name = path.substr(begin, end - begin), .node = -1};
    if (place.folder < 0 || nodes_[place.folder].kind != Kind::folder) return {};
    const auto& children = nodes_[place.folder].children;
    const auto found = children.find(place.name);
    if (found != children.end()) place.node = found->second;
    begin = end + 1;
  }
  return place;
}

int SimulatedFiles::add_node(Kind kind, const Place& place) {
  const int node = static_cast<int>(nodes_.size());
  nodes_.push_back({.kind = kind, .bytes = "", .children = {}});
  record({.change = Change::enter, .node = place.folder, .name = place.name, .child = node});
  return node;
}

int SimulatedFiles::open(const std::string& path, OpenFor use) {
  const Place place = find(path);
  int node = place.node;
  if (node < 0 && (use == OpenFor::reading || place.folder < 0)) return -ENOENT;
  if (node >= 0 && use == OpenFor::creating) return -EEXIST;
  if (node >= 0 && nodes_[node].kind == Kind::folder && use != OpenFor::reading) return -EISDIR;
  if (node < 0) node = add_node(Kind::file, place);
  open_[next_file_] = {.node = node, .position = 0, .append = use == OpenFor::appending};
  return next_file_++;
}

int64_t SimulatedFiles::size(int file) {
  const Node& node = nodes_[open_.at(file).node];
  return node.kind == Kind::file ? std::ssize(node.bytes) : -EISDIR;
}

int64_t SimulatedFiles::read(int file, std::span<std::byte> bytes, int64_t offset) {
  const std::string& from = nodes_[open_.at(file).node].bytes;
  const int64_t count = std::clamp<int64_t>(std::ssize(from) - offset, 0, std::ssize(bytes));
  if (count > 0) std::memcpy(bytes.data(), from.data() + offset, static_cast<size_t>(count));
  return count;
}

// Recorded as the growth of the file and up to four parts, which reach the disk independently.
int64_t SimulatedFiles::write(int file, std::span<const std::byte> bytes) {
  Opened& opened = open_.at(file);
  const int64_t before = std::ssize(nodes_[opened.node].bytes);
  if (opened.append) opened.position = before;
  const int64_t count = std::ssize(bytes);
  if (opened.position + count > before) {
    record({.change = Change::extend, .node = opened.node, .at = opened.position + count});
  }
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const int64_t part = std::max<int64_t>(count / 3, 40);
  for (int64_t at = 0; at < count; at += part) {
    record({.change = Change::fill,
            .node = opened.node,
            .at = opened.position + at,
            .bytes = text.substr(static_cast<size_t>(at), static_cast<size_t>(part))});
  }
  opened.position += count;
  return count;
}

int SimulatedFiles::allocate(int file, int64_t size) {
  record({.change = Change::extend, .node = open_.at(file).node, .at = size});
  return 0;
}

int SimulatedFiles::sync(int file) {
  record({.change = Change::sync, .node = open_.at(file).node});
  return 0;
}

int SimulatedFiles::close(int file) { return open_.erase(file) == 1 ? 0 : -EBADF; }

int SimulatedFiles::make_folder(const std::string& path) {
  const Place place = find(path);
  if (place.folder < 0) return -ENOENT;
  if (place.node >= 0) return -EEXIST;
  add_node(Kind::folder, place);
  return 0;
}

int SimulatedFiles::list_folder(const std::string& path, std::vector<std::string>& names) {
  names.clear();
  const Place place = find(path == "." ? "" : path);
  if (place.node < 0) return -ENOENT;
  if (nodes_[place.node].kind != Kind::folder) return -ENOTDIR;
  for (const auto& [name, node] : nodes_[place.node].children) names.push_back(name);
  return 0;
}

int SimulatedFiles::sync_folder(const std::string& path) {
  const Place place = find(path == "." ? "" : path);
  if (place.node < 0) return -ENOENT;
  record({.change = Change::sync, .node = place.node});
  return 0;
}

int SimulatedFiles::rename(const std::string& from, const std::string& to) {
  const Place old = find(from), target = find(to);
  if (old.node < 0 || target.folder < 0) return -ENOENT;
  if (old.folder != target.folder) throw std::logic_error("only renames within a folder");
  if (target.node >= 0 && !nodes_[target.node].children.empty()) return -ENOTEMPTY;
  record({.change = Change::move, .node = old.folder, .name = old.name, .other = target.name});
  return 0;
}

int SimulatedFiles::make_link(const std::string& target, const std::string& path) {
  const Place place = find(path);
  if (place.folder < 0) return -ENOENT;
  if (place.node >= 0) return -EEXIST;
  nodes_[add_node(Kind::link, place)].bytes = target;
  return 0;
}

int SimulatedFiles::remove(const std::string& path) {
  const Place place = find(path);
  if (place.node < 0) return -ENOENT;
  if (!nodes_[place.node].children.empty()) return -ENOTEMPTY;
  record({.change = Change::leave, .node = place.folder, .name = place.name});
  return 0;
}

std::string& SimulatedFiles::contents(const std::string& path) {
  const Place place = find(path);
  if (place.node < 0) throw std::logic_error("no file " + path);
  return nodes_[place.node].bytes;
}

void SimulatedFiles::start_recording() {
  on_disk_ = nodes_;
  records_.clear();
}

void SimulatedFiles::record(Record record) {
  apply(record, nodes_);
  records_.push_back(std::move(record));
}

void SimulatedFiles::apply(const Record& record, std::vector<Node>& nodes) {
  Node& node = nodes[record.node];
  const auto grow = [&](size_t size) { node.bytes.resize(std::max(node.bytes.size(), size)); };
  switch (record.change) {
    case Change::enter:
      node.children[record.name] = record.child;
      break;
    case Change::leave:
      node.children.erase(record.name);
      break;
    case Change::move:
      // If the entry that was renamed is lost, so is its new name.
      if (const auto found = node.children.find(record.name); found != node.children.end()) {
        node.children[record.other] = found->second;
        node.children.erase(record.name);
      }
      break;
    case Change::extend:
      grow(static_cast<size_t>(record.at));
      break;
    case Change::fill:
      grow(static_cast<size_t>(record.at) + record.bytes.size());
      node.bytes.replace(static_cast<size_t>(record.at), record.bytes.size(), record.bytes);
      break;
    case Change::sync:
      break;
  }
}

// The changes before `end` that no sync covers. A sync covers all earlier changes of its node: the
// entries of a folder, or the bytes of a file.
std::vector<size_t> SimulatedFiles::unsynced(size_t end) const {
  std::vector<size_t> open;
  for (size_t i = 0; i < end; ++i) {
    if (records_[i].change != Change::sync) {
      open.push_back(i);
      continue;
    }
    std::erase_if(open, [&](size_t j) { return records_[j].node == records_[i].node; });
  }
  return open;
}

void SimulatedFiles::visit_choice(size_t end, const std::vector<size_t>& lost,
                                  const std::function<void(SimulatedFiles&)>& visit) const {
  SimulatedFiles after;
  after.nodes_ = on_disk_;
  for (size_t i = on_disk_.size(); i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const std::string bytes = node.kind == Kind::link ? node.bytes : "";  // a target never changes
    after.nodes_.push_back({.kind = node.kind, .bytes = bytes, .children = {}});
  }
  for (size_t i = 0; i < end; ++i) {
    if (!std::ranges::binary_search(lost, i)) apply(records_[i], after.nodes_);
  }
  after.start_recording();
  visit(after);
}

void SimulatedFiles::visit_crashes_at(size_t end,
                                      const std::function<void(SimulatedFiles&)>& visit) const {
  const std::vector<size_t> open = unsynced(end);
  const auto visit_mask = [&](uint64_t mask) {
    std::vector<size_t> lost;
    for (size_t i = 0; i < open.size(); ++i) {
      if (mask >> i & 1) lost.push_back(open[i]);
    }
    visit_choice(end, lost, visit);
  };
  constexpr size_t few = 9;
  if (open.size() >= 64) throw std::logic_error("too many unsynced changes to choose from");
  const uint64_t all = (uint64_t{1} << open.size()) - 1;
  if (open.size() <= few) {
    for (uint64_t mask = 0; mask <= all; ++mask) visit_mask(mask);
    return;
  }
  visit_mask(0);
  visit_mask(all);
  for (size_t i = 0; i < open.size(); ++i) {
    visit_mask(uint64_t{1} << i);
    visit_mask(all ^ uint64_t{1} << i);
    visit_mask(all << i & all);  // a crash that keeps the order of the changes
  }
  std::mt19937_64 random(end);
  for (int i = 0; i < 300; ++i) visit_mask(random() & all);
}

void SimulatedFiles::for_each_crash(const std::function<void(SimulatedFiles&)>& visit) const {
  for (size_t end = 0; end <= records_.size(); ++end) {
    // Until a sync, ever more changes may be lost, so the states before syncs include all others.
    if (end == records_.size() || records_[end].change == Change::sync)
      visit_crashes_at(end, visit);
  }
}

void SimulatedFiles::for_each_crash_now(const std::function<void(SimulatedFiles&)>& visit) const {
  visit_crashes_at(records_.size(), visit);
}

}  // namespace calque
