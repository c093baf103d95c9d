// Reads the header with a state machine on the events of the JSON parser, and stops at the first
// invalid event. No document is built, so a deeply nested header is refused before it takes memory.
#include "train/storage/safetensors_header.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr uint64_t longest_header = 100'000'000;  // the format's own limit

class HeaderReader {
 public:
  TensorTable table;
  std::string problem;

  bool start_object(size_t) {
    if (place_ == Place::outside) return enter(Place::names);
    if (place_ == Place::metadata && !inside_) return inside_ = true;
    if (place_ == Place::tensor && !inside_) return inside_ = true;
    return refuse("an object where none belongs");
  }

  bool key(std::string& text) {
    if (place_ == Place::names) {
      if (!names_.insert(text).second) return refuse("\"{}\" occurs twice", printable(text));
      inside_ = false;
      if (text == "__metadata__") return enter(Place::metadata);
      table.entries.emplace_back().name = text;
      seen_.clear();
      return enter(Place::tensor);
    }
    key_ = text;
    if (place_ == Place::metadata) {
      return !table.metadata.contains(text) ||
             refuse("metadata \"{}\" occurs twice", printable(text));
    }
    if (text != "dtype" && text != "shape" && text != "data_offsets") {
      return refuse("unknown \"{}\" in tensor \"{}\"", printable(text), tensor_name());
    }
    return seen_.insert(text).second ||
           refuse("\"{}\" twice in tensor \"{}\"", text, tensor_name());
  }

  bool string(std::string& text) {
    if (place_ == Place::metadata && inside_) {
      table.metadata.emplace(key_, text);
      return true;
    }
    if (place_ != Place::tensor || !inside_ || key_ != "dtype")
      return refuse("text where none belongs");
    table.entries.back().type = find_element_type(text);
    return table.entries.back().type ||
           refuse("tensor \"{}\" has the unknown dtype \"{}\"", tensor_name(), printable(text));
  }

  bool start_array(size_t) {
    if (place_ != Place::tensor || !inside_ || key_ == "dtype")
      return refuse("a list where none belongs");
    return enter(key_ == "shape" ? Place::shape : Place::offsets);
  }

  bool number_unsigned(uint64_t number) {
    if (place_ == Place::shape) {
      if (number > std::numeric_limits<int64_t>::max()) return not_a_size();
      table.entries.back().shape.push_back(static_cast<int64_t>(number));
      return true;
    }
    if (place_ != Place::offsets) return refuse("a number where none belongs");
    TensorEntry& entry = table.entries.back();
    if (offsets_ < 2) (offsets_ == 0 ? entry.begin : entry.end) = number;
    return ++offsets_ <= 2 || refuse("tensor \"{}\" has more than two data_offsets", tensor_name());
  }

  bool end_array() {
    if (place_ == Place::offsets && std::exchange(offsets_, 0) != 2) {
      return refuse("tensor \"{}\" must have two data_offsets", tensor_name());
    }
    return enter(Place::tensor);
  }

  bool end_object() {
    if (place_ == Place::tensor && seen_.size() != 3) {
      return refuse("tensor \"{}\" must have dtype, shape and data_offsets", tensor_name());
    }
    return enter(place_ == Place::names ? Place::outside : Place::names);
  }

  bool null() { return refuse("null where none belongs"); }
  bool boolean(bool) { return refuse("true or false where neither belongs"); }
  bool number_integer(int64_t) { return not_a_size(); }
  bool number_float(double, const std::string&) { return not_a_size(); }
  bool binary(std::vector<uint8_t>&) { return refuse("binary data"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) {
    return refuse("it is not valid JSON at byte {}", 8 + position);
  }

 private:
  // In `metadata` and `tensor`, inside_ is true once the opening brace has been read.
  enum class Place { outside, names, metadata, tensor, shape, offsets };

  bool enter(Place place) {
    place_ = place;
    return true;
  }
  template <class... Args>
  bool refuse(fmt::format_string<Args...> why, Args&&... args) {
    problem = fmt::format(why, std::forward<Args>(args)...);
    return false;
  }
  bool not_a_size() { return refuse("a number that is not a whole number from 0 to 2^63 - 1"); }
  std::string tensor_name() const { return printable(table.entries.back().name); }

  Place place_ = Place::outside;
  bool inside_ = false;
  int offsets_ = 0;
  std::string key_;
  std::set<std::string> names_, seen_;
};

// Sets the number of elements. Returns why the offsets do not match it, or an empty text.
std::string count_elements(TensorEntry& entry) {
  entry.elements = 1;
  uint64_t bytes = 0;
  for (const int64_t extent : entry.shape) {
    if (__builtin_mul_overflow(entry.elements, static_cast<uint64_t>(extent), &entry.elements)) {
      return "has more elements than can be counted";
    }
  }
  if (__builtin_mul_overflow(entry.elements, entry.type->bytes, &bytes)) {
    return "has more bytes than can be counted";
  }
  if (entry.begin > entry.end || entry.end - entry.begin != bytes) {
    return fmt::format("needs {} bytes by its shape, but its data_offsets are {} and {}", bytes,
                       entry.begin, entry.end);
  }
  return {};
}

// Each tensor must begin where the one before it ends, and the last tensor must end with the file.
// Returns what is wrong, or an empty text.
std::string check_layout(std::vector<TensorEntry>& entries, uint64_t data_size) {
  for (TensorEntry& entry : entries) {
    const std::string problem = count_elements(entry);
    if (!problem.empty()) return fmt::format("tensor \"{}\" {}", printable(entry.name), problem);
  }
  std::ranges::stable_sort(entries, {},
                           [](const TensorEntry& e) { return std::pair(e.begin, e.end); });
  uint64_t reached = 0;
  for (const TensorEntry& entry : entries) {
    if (entry.begin != reached) {
      return fmt::format("tensor \"{}\" begins at {}, but the tensors before it end at {}",
                         printable(entry.name), entry.begin, reached);
    }
    reached = entry.end;
  }
  if (reached != data_size) {
    return fmt::format("the tensors end at {}, but there are {} bytes of values", reached,
                       data_size);
  }
  return {};
}

[[noreturn]] void refuse_file(const std::string& path, std::string_view why) {
  fail("{}: not a whole safetensors file: {}", path, why);
}

}  // namespace

uint64_t elements_of(const std::vector<int64_t>& shape) {
  uint64_t elements = 1;
  for (const int64_t extent : shape) elements *= static_cast<uint64_t>(extent);
  return elements;
}

const TensorEntry* TensorTable::find(std::string_view name) const {
  const auto found = std::ranges::find(entries, name, &TensorEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

uint64_t parse_header_length(std::span<const std::byte, 8> bytes, uint64_t file_size,
                             const std::string& path) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > longest_header) {
    refuse_file(path, fmt::format("its header would have {} bytes, at most {} are allowed", length,
                                  longest_header));
  }
  if (file_size < 8 || length > file_size - 8) {
    refuse_file(path,
                fmt::format("its header would have {} bytes, the file has {}", length, file_size));
  }
  return length;
}

TensorTable parse_header(std::string_view header, uint64_t file_size, const std::string& path) {
  if (!header.starts_with('{')) refuse_file(path, "its header does not begin with a brace");
  // The JSON parser would take a zero byte as the end of its input.
  if (header.find('\0') != header.npos) refuse_file(path, "a zero byte in its header");
  HeaderReader reader;
  if (!nlohmann::json::sax_parse(header.begin(), header.end(), &reader)) {
    refuse_file(path, "in its header, " + reader.problem);
  }
  TensorTable table = std::move(reader.table);
  table.data_begin = 8 + header.size();
  require(file_size >= table.data_begin, "parse_header: {} bytes in a file of {}", header.size(),
          file_size);
  const std::string problem = check_layout(table.entries, file_size - table.data_begin);
  if (!problem.empty()) refuse_file(path, problem);
  return table;
}

std::string format_header(TensorTable& table) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!table.metadata.empty()) header["__metadata__"] = table.metadata;
  uint64_t reached = 0;
  for (TensorEntry& entry : table.entries) {
    entry.elements = elements_of(entry.shape);
    entry.begin = reached;
    entry.end = reached += entry.elements * entry.type->bytes;
    require(entry.name != "__metadata__" && !header.contains(entry.name),
            "safetensors: two tensors are named {}", entry.name);
    header[entry.name] = {{"dtype", entry.type->name},
                          {"shape", entry.shape},
                          {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text = header.dump();
  constexpr size_t alignment = 64;
  text.resize((text.size() + 8 + alignment - 1) / alignment * alignment - 8, ' ');
  require(text.size() <= longest_header, "safetensors: a header of {} bytes", text.size());
  table.data_begin = 8 + text.size();
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

}  // namespace calque
