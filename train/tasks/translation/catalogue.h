#pragma once
// Fills a gettext catalogue with the translations of a memory and of a trained translator.

#include "data/formats/memory.h"
#include "data/formats/po.h"
#include "train/tasks/translation/texts.h"

namespace calque {

// A translator for catalogues keeps all kinds of placeholders, and accelerators.
inline constexpr KeepOptions keep_in_catalogue = {{true, true, true, true, true}, true};

struct FillCounts {
  int64_t messages = 0, translated = 0;  // of the file, and of them those translated before
  int64_t from_memory = 0, by_model = 0;
  int64_t fuzzy = 0;  // left as they were
};

// Fills messages without any translation, and marks them as fuzzy: first from the file's own
// translated messages and the memory, the others by the model. Of several plural forms, that of
// n = 1 is the translation of msgid, the others are that of msgid_plural; the header tells how many
// there are. Throws an Error for a message that the model cannot read, and for plural forms of the
// header that gettext cannot read if a message needs them.
FillCounts fill_catalogue(PoFile& file, TranslationMemory memory, TextTranslator& translator,
                          const std::string& name);

}  // namespace calque
