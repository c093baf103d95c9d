#pragma once
// Values recorded from a reference implementation, by tests/reference/*.py: a file of named arrays
// in the safetensors format.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/real.h"

namespace calque {

class Recorded {
 public:
  // `name` is a path in tests/reference/.
  explicit Recorded(const std::string& name);

  std::vector<real> numbers(std::string_view name) const;
  std::vector<int32_t> integers(std::string_view name) const;
  // The names with this prefix, without the prefix.
  std::vector<std::string> names_after(std::string_view prefix) const;

 private:
  struct Array {
    std::string name, type;
    size_t begin, end;  // in bytes_
  };
  const Array& find(std::string_view name, std::string_view type) const;

  std::vector<Array> arrays_;
  std::string bytes_;
};

}  // namespace calque
