// Quantized blocks against numbers recorded from the package gguf (tests/reference/gguf_blocks.py).
#include "interop/gguf/blocks.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/folders.h"

namespace calque {
namespace {

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST_CASE("the numbers of quantized blocks are those of llama.cpp's own package") {
  std::ifstream file(CALQUE_SOURCE_DIR "/tests/reference/gguf_blocks.json");
  const auto recorded = nlohmann::json::parse(file);
  CHECK(recorded.size() == 8);
  for (const auto& [name, entry] : recorded.items()) {
    CAPTURE(name);
    const GgufStorage* storage = gguf_storage(entry["type"].get<uint32_t>());
    REQUIRE(storage);
    CHECK(storage->name == name);
    const auto expected = entry["numbers"].get<std::vector<real>>();
    std::vector<std::byte> two = bytes_of(entry["block"]);
    REQUIRE(std::ssize(two) == storage->bytes);
    REQUIRE(std::ssize(expected) == storage->numbers);
    two.insert(two.end(), two.begin(), two.begin() + storage->bytes);
    std::vector<real> numbers(2 * expected.size());
    storage->decode(two.data(), numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {
      CHECK(double(numbers[i]) ==
            doctest::Approx(double(expected[i % expected.size()])).epsilon(1e-6));
    }
  }
}

TEST_CASE("an unknown type has no storage") { CHECK(gguf_storage(99) == nullptr); }

}  // namespace
}  // namespace calque
