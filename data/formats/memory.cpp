#include "data/formats/memory.h"

#include <algorithm>

namespace calque {

void TranslationMemory::add(const PoFile& file) {
  for (const PoEntry& entry : file.entries()) {
    if (entry.is_header() || !entry.is_translated()) continue;
    known_[entry.id].push_back({entry.context, entry.plural, entry.translations});
  }
}

void TranslationMemory::add(const std::string& source, const std::string& translation) {
  known_[source].push_back({{}, {}, {translation}});
}

std::optional<std::vector<std::string>> TranslationMemory::find(const PoEntry& entry,
                                                                size_t forms) const {
  const auto found = known_.find(entry.id);
  if (found == known_.end()) return std::nullopt;
  const Known* best = nullptr;
  for (const Known& known : found->second) {
    const bool fits =
        known.plural.has_value() == entry.plural.has_value() && known.translations.size() == forms;
    if (!fits) continue;
    if (known.context == entry.context) return known.translations;
    if (!best) best = &known;
  }
  return best ? std::optional(best->translations) : std::nullopt;
}

}  // namespace calque
