#include "nn/recorded.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "support/folders.h"

namespace calque {
namespace {

template <class Stored, class Wanted>
std::vector<Wanted> read(std::string_view bytes) {
  std::vector<Stored> stored(bytes.size() / sizeof(Stored));
  std::memcpy(stored.data(), bytes.data(), bytes.size());
  return {stored.begin(), stored.end()};
}

}  // namespace

Recorded::Recorded(const std::string& name) {
  const std::string path = std::string(CALQUE_SOURCE_DIR "/tests/reference/") + name;
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "{}: cannot be read; record it with a script of tests/reference", path);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  uint64_t header = 0;
  require(all.size() >= sizeof header, "{}: only {} bytes", path, all.size());
  std::memcpy(&header, all.data(), sizeof header);
  const auto table = nlohmann::json::parse(all.substr(sizeof header, header));
  for (const auto& [key, value] : table.items()) {
    const auto& offsets = value.at("data_offsets");
    arrays_.push_back({key, value.at("dtype"), offsets.at(0), offsets.at(1)});
  }
  bytes_ = all.substr(sizeof header + header);
}

const Recorded::Array& Recorded::find(std::string_view name, std::string_view type) const {
  const auto found = std::ranges::find(arrays_, name, &Array::name);
  require(found != arrays_.end() && found->type == type, "nothing of type {} was recorded as {}",
          type, name);
  return *found;
}

std::vector<real> Recorded::numbers(std::string_view name) const {
  const Array& array = find(name, "F32");
  return read<float, real>(std::string_view(bytes_).substr(array.begin, array.end - array.begin));
}

std::vector<int32_t> Recorded::integers(std::string_view name) const {
  const Array& array = find(name, "I32");
  return read<int32_t, int32_t>(
      std::string_view(bytes_).substr(array.begin, array.end - array.begin));
}

std::vector<std::string> Recorded::names_after(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const Array& array : arrays_) {
    if (array.name.starts_with(prefix)) names.push_back(array.name.substr(prefix.size()));
  }
  return names;
}

}  // namespace calque
