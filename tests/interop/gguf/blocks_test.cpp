// Quantized blocks against numbers recorded from the package gguf (tests/reference/gguf_blocks.py).
#include "interop/gguf/blocks.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/folders.h"
#include "train/storage/safetensors_header.h"

namespace calque {
namespace {

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

nlohmann::json recorded_blocks() {
  std::ifstream file(CALQUE_SOURCE_DIR "/tests/reference/gguf_blocks.json");
  return nlohmann::json::parse(file);
}

TEST_CASE("the numbers of quantized blocks are those of llama.cpp's own package") {
  const auto recorded = recorded_blocks();
  CHECK(recorded.size() == 12);
  for (const auto& [name, entry] : recorded.items()) {
    if (name.ends_with(" written")) continue;
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

TEST_CASE("blocks are written as llama.cpp's own package writes them") {
  const auto recorded = recorded_blocks();
  for (const auto& [name, entry] : recorded.items()) {
    if (!name.ends_with(" written")) continue;
    CAPTURE(name);
    const GgufStorage* storage = gguf_storage(name.substr(0, name.find(' ')));
    REQUIRE(storage);
    CHECK(storage->type == entry["type"].get<uint32_t>());
    const auto numbers = entry["numbers"].get<std::vector<real>>();
    const std::vector<std::byte> expected = bytes_of(entry["block"]);
    std::vector<std::byte> bytes(expected.size());
    REQUIRE(std::ssize(numbers) / storage->numbers * storage->bytes == std::ssize(bytes));
    storage->encode(numbers, bytes.data());
    CHECK(bytes == expected);
  }
}

TEST_CASE("numbers of 16 bits are the nearest ones") {
  const auto halves = {std::pair{1.0F, 0x3C00}, {-2.0F, 0xC000},          {65519.0F, 0x7BFF},
                       {65520.0F, 0x7C00},      {0x1p-24F, 0x0001},       {0x1.8p-24F, 0x0002},
                       {0x1p-26F, 0x0000},      {1.00048828125F, 0x3C00}, {1.00146484375F, 0x3C02}};
  for (const auto& [value, bits] : halves) CHECK(to_f16(value) == bits);
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    CHECK(to_f16(from_f16(static_cast<uint16_t>(bits))) == bits);
  }
  CHECK(to_bf16(1.0F) == 0x3F80);
  CHECK(to_bf16(1.00390625F) == 0x3F80);
  CHECK(to_bf16(1.01171875F) == 0x3F82);
  CHECK(std::isnan(from_f16(to_f16(std::nanf("")))));
}

TEST_CASE("an unknown type has no storage") { CHECK(gguf_storage(99) == nullptr); }

}  // namespace
}  // namespace calque
