#pragma once
// A translation memory: messages that are translated already, found by their exact text.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/po.h"

namespace calque {

class TranslationMemory {
 public:
  // The translated messages of a catalogue; of equal ones, the first stays.
  void add(const PoFile& file);
  void add(const std::string& source, const std::string& translation);

  // The translations of a message if it has so many forms: those of the same context or else of
  // any.
  std::optional<std::vector<std::string>> find(const PoEntry& entry, size_t forms) const;

 private:
  struct Known {
    std::optional<std::string> context, plural;
    std::vector<std::string> translations;
  };
  std::map<std::string, std::vector<Known>, std::less<>> known_;  // by msgid
};

}  // namespace calque
