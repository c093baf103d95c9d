// A gettext catalogue: what is accepted is written again byte by byte, and can be filled.

#include "data/formats/po.h"
#include "fuzz/memory_file.h"

using namespace calque;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(text_of(data, size));
  auto file = accepted([&] { return PoFile::parse(text, "x.po"); });
  if (!file) return 0;
  must(file->bytes() == text);
  const auto forms = accepted([&] { return file->plural_forms(); });
  if (forms && *forms) must((*forms)->form_of(size) < (*forms)->count());
  const size_t count = file->entries().size();
  for (size_t i = 0; i < count; ++i) {
    const PoEntry& entry = file->entries()[i];
    if (entry.obsolete || entry.is_header()) continue;
    file->fill(i, std::vector<std::string>(entry.translations.size(), "a \"b\"\n\\c"));
  }
  const auto bytes = accepted([&] { return file->bytes(); });
  if (!bytes) return 0;
  const PoFile again = PoFile::parse(*bytes, "y.po");
  must(again.entries().size() == count);
  for (size_t i = 0; i < count; ++i) {
    must(again.entries()[i].id == file->entries()[i].id);
    must(again.entries()[i].translations == file->entries()[i].translations);
  }
  return 0;
}
