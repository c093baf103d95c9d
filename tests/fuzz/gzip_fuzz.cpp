// Reads the lines of the input as a file, of the input as compressed data, and of the compressed
// input, which must be those of the input.

#include <memory>

#include "data/files/gzip_bytes.h"
#include "data/files/text_lines.h"
#include "fuzz/memory_file.h"

using namespace calque;

namespace {

void read_lines(std::string_view content) {
  const MemoryFile file(content);
  try {
    const TextLines lines(file.path());
    for (int64_t i = 0; i < lines.count(); ++i) lines.read(i, 10, 1000);
  } catch (const Error&) {
  }
}

void check_round_trip(std::string_view content) {
  if (content.starts_with("\x1f\x8b")) return;  // would be read as gzip
  const MemoryFile plain(content), packed(gzip_bytes(content));
  const auto expected = accepted([&] { return std::make_unique<TextLines>(plain.path()); });
  if (!expected) return;
  const TextLines lines(packed.path());
  must(lines.count() == (*expected)->count());
  for (int64_t i = 0; i < lines.count(); ++i) must(lines.line(i) == (*expected)->line(i));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  read_lines(input);
  // With a valid header, so that more inputs reach the compressed data.
  read_lines(std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + std::string(input));
  check_round_trip(input);
  return 0;
}
