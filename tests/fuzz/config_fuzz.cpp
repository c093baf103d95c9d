// The config's YAML: an accepted config is the same after writing and parsing it; a refused one
// throws an Error that names the file. Includes are not fuzzed, because they would read the files
// of this machine.

#include "core/error.h"
#include "fuzz/memory_file.h"
#include "train/config/load.h"
#include "train/config/show.h"
#include "train/tasks/registry.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = text_of(data, size);
  if (input.find("include") != std::string_view::npos) return 0;
  Config config;
  try {
    config = parse_config(input, "c.yaml", {}, task_contradictions).config;
  } catch (const Error& error) {
    must(std::string_view(error.what()).starts_with("c.yaml"));
    return 0;
  }
  must(parse_config(show_config(config), "shown.yaml").config == config);
  return 0;
}
