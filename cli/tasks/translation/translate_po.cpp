#include "cli/tasks/translation/translate_po.h"

#include "cli/output.h"
#include "cli/result_file.h"
#include "data/files/packed_files.h"
#include "data/formats/pairs.h"
#include "train/tasks/translation/catalogue.h"

namespace calque {

void translate_po(const std::string& po, const std::vector<std::string>& memory,
                  const std::string& output, TextTranslator& translator) {
  PoFile file = PoFile::read(po);
  TranslationMemory known;
  for (const std::string& path : memory) {
    if (plain_name(path).ends_with(".po")) {
      known.add(PoFile::read(path));
    } else {
      const auto [source, target] = translator.languages();
      read_pairs(
          path, {source, target},
          [&](const std::string& from, const std::string& to, int64_t) { known.add(from, to); });
    }
  }
  const FillCounts counts = fill_catalogue(file, std::move(known), translator, po);
  write_result(output, file.bytes());
  note(
      "calque: {}: {} messages; translated before: {}; fuzzy before: {}; filled from the memory: "
      "{}, by the model: {}\n",
      po, counts.messages, counts.translated, counts.fuzzy, counts.from_memory, counts.by_model);
}

}  // namespace calque
