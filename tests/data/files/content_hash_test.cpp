#include "data/files/content_hash.h"

#include <doctest/doctest.h>

#include <string>

using namespace calque;

TEST_CASE("the hash is XXH64 with seed 0") {
  // Published test values of the algorithm.
  CHECK(content_hash("") == 0xef46db3751d8e999);
  CHECK(content_hash("a") == 0xd24ec4f1a98c6e5b);
  CHECK(content_hash("abc") == 0x44bc2cf5ad770999);
  CHECK(content_hash("Nobody inspects the spammish repetition") == 0xfbcea83c8a378bf1);
}

TEST_CASE("the hash does not depend on how the bytes are split between calls") {
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += static_cast<char>(i * 37);
  for (size_t first = 0; first <= bytes.size(); first += 7) {
    for (size_t second = first; second <= bytes.size(); second += 13) {
      ContentHash hash;
      hash.add(bytes.substr(0, first));
      hash.add(bytes.substr(first, second - first));
      hash.add(bytes.substr(second));
      CHECK(hash.value() == content_hash(bytes));
    }
  }
}

TEST_CASE("texts are hashed with their lengths") {
  const auto of = [](const char* a, const char* b) {
    return ContentHash().add_text(a).add_text(b).value();
  };
  CHECK(of("ab", "c") != of("a", "bc"));
  CHECK(of("ab", "") != of("", "ab"));
}
