// state.json: an accepted state is the same after writing and reading it. The input is also read
// with a valid checksum; otherwise only the checksum would be tested.

#include <fmt/format.h>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "fuzz/memory_file.h"
#include "train/storage/training_state.h"

using namespace calque;

namespace {

void load(std::string_view text) {
  std::string written;
  try {
    written = format_state(parse_state(text, "state.json"));
  } catch (const Error& error) {
    must(std::string_view(error.what()).starts_with("state.json: "));
    return;
  }
  must(format_state(parse_state(written, "state.json")) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  load(input);
  const std::string_view body = input.substr(0, input.rfind(",\n  \"xxh64\""));
  load(fmt::format("{},\n  \"xxh64\": \"{:016x}\"\n}}\n", body, content_hash(body)));
  return 0;
}
